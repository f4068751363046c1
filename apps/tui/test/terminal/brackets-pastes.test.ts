import { expect, test } from 'vitest'
import { bracketsPastes } from '../../src/terminal/port.ts'

test.each([
  [{ TERM: 'xterm-256color' }, true],
  [{ TERM: 'xterm-kitty' }, true],
  [{ TERM: 'tmux-256color', TMUX: '/tmp/tmux-0/default,1,0' }, true],
  [{ TERM: 'screen-256color', TMUX: '/tmp/tmux-0/default,1,0' }, true],
  [{ TERM: 'screen.xterm-256color', STY: '1.pts' }, false],
  [{ TERM: 'xterm', STY: '1.pts' }, false],
  [{ TERM: 'linux' }, false],
  [{ TERM: 'vt220' }, false],
  [{ TERM: 'dumb' }, false],
  [{}, false],
])('the terminal of %j puts brackets around pastes: %s', (env, brackets) => {
  expect(bracketsPastes(env)).toBe(brackets)
})
