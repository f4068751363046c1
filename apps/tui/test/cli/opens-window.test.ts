import { Command } from 'commander'
import { expect, test } from 'vitest'
import { opensWindow } from '../../src/cli/early-arguments.ts'
import { withCommonFlags, withImages } from '../../src/command-line/shared-options.ts'

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
  ['resume', 'abc', 'go on'],
  ['resume', '--last', 'go on'],
  ['--yolo'],
  ['attach', '--read-only'],
  ['fork', 'abc', '--at', '3'],
  ['demo'],
  ['--safe'],
  ['resume', '--safe', '--last'],
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
  ['fork', 'abc'],
  ['resume', 'a', 'b', 'c'],
  ['say hello', 'again'],
  ['--unknown'],
  ['--', 'x y'],
])('no window is opened for what is or may be another command: %j', (...argv) => {
  expect(opensWindow(argv, terminal)).toBe(false)
})

const { options } = withImages(withCommonFlags(new Command()))

test.each(options.map(({ flags, long, short, required }) => ({ flags, names: [long, short], required })))(
  'a window is opened with the flag $flags in each of its forms',
  ({ names, required }) => {
    for (const name of names.filter((each) => typeof each === 'string')) {
      const within = name.startsWith('--') ? `${name}=a b` : `${name}a b`
      const forms = required ? [[name, 'exec'], [within]] : [[name]]
      for (const words of forms) expect(opensWindow([...words, 'fix the tests'], terminal)).toBe(true)
    }
  },
)

test('no window is opened without a terminal', () => {
  expect(opensWindow([], { ...terminal, stdout: {} })).toBe(false)
  expect(opensWindow([], { ...terminal, stdin: {} })).toBe(false)
})

test('the streams are left alone where the words open no window', () => {
  const streams = {
    get stdin(): never {
      throw new Error('stdin was opened')
    },
    stdout: { isTTY: true },
  }
  expect(opensWindow(['exec', 'say hello'], streams)).toBe(false)
})
