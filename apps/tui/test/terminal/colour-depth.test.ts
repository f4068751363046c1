import { expect, test } from 'vitest'
import { colourDepth, isBasic } from '../../src/terminal/port.ts'

test.each([
  [{ TERM: 'xterm-256color' }, 'sixteen'],
  [{ TERM: 'xterm-256color', COLORTERM: 'truecolor' }, 'true'],
  [{ TERM: 'xterm-kitty' }, 'true'],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal' }, 'sixteen'],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' }, 'true'],
  [{ TERM: 'xterm-kitty', NO_COLOR: '1' }, 'none'],
  [{ TERM: 'xterm-kitty', NO_COLOR: '' }, 'true'],
] as const)('a terminal with %j shows the colours "%s"', (env, depth) => {
  expect(colourDepth(env)).toBe(depth)
})

test.each([
  ['xterm-256color', false],
  ['tmux-256color', false],
  ['linux', true],
  ['vt220', true],
  ['dumb', true],
  ['', true],
])('a terminal named "%s" prints sequences that it does not know: %s', (name, prints) => {
  expect(isBasic({ TERM: name })).toBe(prints)
})
