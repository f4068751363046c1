import { describe, expect, test } from 'vitest'
import { reflowOf } from '../../src/terminal/port.ts'

describe('reflowOf', () => {
  test.each([
    [{ TERM: 'xterm-256color' }, 'wrap'],
    [{ TERM: 'xterm-256color', XTERM_VERSION: 'XTerm(390)' }, 'cut'],
    [{ TERM: 'tmux-256color', TMUX: '/tmp/tmux', XTERM_VERSION: 'XTerm(390)' }, 'wrap'],
    [{ TERM: 'screen', STY: '12.pts' }, 'cut'],
    [{ TERM: 'linux' }, 'cut'],
    [{ TERM: 'xterm-256color', TERM_PROGRAM: 'vscode' }, 'shift'],
  ])('%o: %s', (env, reflow) => {
    expect(reflowOf(env)).toBe(reflow)
  })
})
