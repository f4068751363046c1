import { expect, test } from 'vitest'
import { opensWindow } from '../../src/cli/early-arguments.ts'

const terminal = { stdin: { isTTY: true }, stdout: { isTTY: true } }

test.each([
  [],
  ['fix the tests'],
  ['-m', 'exec', 'fix the tests'],
  ['-mgpt-5', '--sandbox=read-only'],
  ['-c', 'model="x"', '--ephemeral'],
  ['resume'],
  ['resume', '--last'],
  ['resume', 'abc', '-C', '/tmp'],
  ['attach', '--read-only'],
  ['fork', 'abc', '--at', '3'],
  ['demo'],
])('a window is opened before the command line is read: %j', (...argv) => {
  expect(opensWindow(argv, terminal)).toBe(true)
})

test.each([
  ['exec', 'say hello'],
  ['-m', 'x', 'exec', 'say hello'],
  ['list'],
  ['help', 'resume'],
  ['resume', '--help'],
  ['-h'],
  ['resumee'],
  ['resume', 'a', 'b'],
  ['say hello', 'again'],
  ['--unknown'],
  ['--', 'x y'],
])('no window is opened for what is or may be another command: %j', (...argv) => {
  expect(opensWindow(argv, terminal)).toBe(false)
})

test('no window is opened without a terminal', () => {
  expect(opensWindow([], { ...terminal, stdout: {} })).toBe(false)
  expect(opensWindow([], { ...terminal, stdin: {} })).toBe(false)
})
