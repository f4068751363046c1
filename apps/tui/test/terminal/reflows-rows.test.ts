import { describe, expect, test } from 'vitest'
import { reflowsRows } from '../../src/terminal/port.ts'

describe('reflowsRows', () => {
  test.each([
    [{ TERM: 'xterm-256color' }, true],
    [{ TERM: 'xterm-256color', XTERM_VERSION: 'XTerm(390)' }, false],
    [{ TERM: 'tmux-256color', TMUX: '/tmp/tmux', XTERM_VERSION: 'XTerm(390)' }, true],
    [{ TERM: 'screen', STY: '12.pts' }, false],
    [{ TERM: 'linux' }, false],
  ])('%o: %s', (env, reflows) => {
    expect(reflowsRows(env)).toBe(reflows)
  })
})
