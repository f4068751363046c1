import { expect, test } from 'vitest'
import { withCommandFromFlags } from '../../src/cli/early-arguments.ts'

test.each([
  [
    ['--print', 'fix it'],
    ['exec', 'fix it'],
  ],
  [
    ['fix it', '--print', '--output-format', 'json'],
    ['exec', 'fix it', '--output-format', 'json'],
  ],
  [
    ['-m', 'x', '--print', 'fix it'],
    ['exec', '-m', 'x', 'fix it'],
  ],
  [
    ['--print', '--continue', 'go on'],
    ['exec', 'resume', '--last', 'go on'],
  ],
  [
    ['--print', '--resume', 'a1b2', 'go on'],
    ['exec', 'resume', 'a1b2', 'go on'],
  ],
  [
    ['--print', '--', '--print'],
    ['exec', '--', '--print'],
  ],
  [['--continue'], ['resume', '--last']],
  [
    ['--continue', 'go on'],
    ['resume', '--last', 'go on'],
  ],
  [['--resume'], ['resume']],
  [
    ['--resume', 'a1b2'],
    ['resume', 'a1b2'],
  ],
  [['--resume=a1b2'], ['resume', 'a1b2']],
  [
    ['--resume', '--plain'],
    ['resume', '--plain'],
  ],
  [
    ['exec', '--continue', 'go on'],
    ['exec', 'resume', '--last', 'go on'],
  ],
  [
    ['exec', '--continue', '--resume', 'a1b2', 'go on'],
    ['exec', 'resume', '--last', 'a1b2', 'go on'],
  ],
  [
    ['-m', 'x', 'exec', '--continue', 'go on'],
    ['exec', 'resume', '--last', '-m', 'x', 'go on'],
  ],
])('flags that name a command become it: %j', (argv, words) => {
  expect(withCommandFromFlags(argv)).toEqual(words)
})

// Twelve values behind -c: only the last word and an option behind it make it --continue.
test.each([
  [['-c'], ['resume', '--last']],
  [
    ['go on', '-c'],
    ['resume', '--last', 'go on'],
  ],
  [
    ['exec', 'go on', '-c'],
    ['exec', 'resume', '--last', 'go on'],
  ],
  [
    ['-c', '--print', 'go on'],
    ['exec', 'resume', '--last', 'go on'],
  ],
  [
    ['-c', '-m', 'x'],
    ['resume', '--last', '-m', 'x'],
  ],
  [
    ['-c', '--', '-x'],
    ['resume', '--last', '--', '-x'],
  ],
  [
    ['-c', 'model=x'],
    ['-c', 'model=x'],
  ],
  [
    ['-c', 'go on'],
    ['-c', 'go on'],
  ],
  [
    ['exec', '-c', 'fix', 'it'],
    ['exec', '-c', 'fix', 'it'],
  ],
  [['-cmodel=x'], ['-cmodel=x']],
  [
    ['exec', '-c', '-'],
    ['exec', '-c', '-'],
  ],
  [
    ['exec', '--', '-c'],
    ['exec', '--', '-c'],
  ],
])('-c without a word goes on with the newest conversation, and else stays: %j', (argv, words) => {
  expect(withCommandFromFlags(argv)).toEqual(words)
})

test.each([
  [['list', '--continue']],
  [['exec', 'review', '-c']],
  [['exec', 'resume', 'a1b2', 'go on', '-c']],
  [['exec', 'fork', '--continue']],
  [['policy', 'test', '-c']],
  [['fix the tests']],
  [[]],
])('words of other commands stay: %j', (argv) => {
  expect(withCommandFromFlags(argv)).toEqual(argv)
})
