import { expect, test } from 'vitest'
import { colourDepth, forcedDepth, isBasic, withColour } from '../../src/terminal/port.ts'

test.each([
  [{ TERM: 'xterm-256color' }, 'sixteen'],
  [{ TERM: 'xterm-256color', COLORTERM: 'truecolor' }, 'true'],
  [{ TERM: 'xterm-kitty' }, 'true'],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal' }, 'sixteen'],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' }, 'true'],
  [{ TERM: 'xterm-kitty', NO_COLOR: '1' }, 'none'],
  [{ TERM: 'xterm-kitty', NO_COLOR: '' }, 'true'],
  [{ TERM: 'dumb', NO_COLOR: '1', FORCE_COLOR: '1' }, 'sixteen'],
  [{ TERM: 'dumb', FORCE_COLOR: '3' }, 'true'],
  [{ TERM: 'xterm-kitty', FORCE_COLOR: '0' }, 'none'],
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

test.each([
  ['always', { NO_COLOR: '1' }, 'sixteen'],
  ['always', { FORCE_COLOR: '0' }, 'sixteen'],
  ['always', { FORCE_COLOR: '3' }, 'true'],
  ['never', { FORCE_COLOR: '3' }, 'none'],
  ['auto', {}, null],
  ['auto', { FORCE_COLOR: '1' }, 'sixteen'],
] as const)('--color %s with %j asks for the colours "%s"', (when, env, depth) => {
  expect(forcedDepth(withColour(env, when))).toBe(depth)
})
