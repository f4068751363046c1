import { describe, expect, test } from 'vitest'
import { likelyCommand } from '../../src/cli/messages.ts'

const names = ['resume', 'fork', 'demo', 'exec', 'list', 'config', 'server']

describe('a word one slip away from a command', () => {
  test.each([
    ['lst', 'list'],
    ['lisst', 'list'],
    ['lost', 'list'],
    ['lits', 'list'],
    ['exce', 'exec'],
    ['exe', 'exec'],
    ['execs', 'exec'],
    ['xec', 'exec'],
    ['rseume', 'resume'],
  ])('%s is taken for %s', (word, command) => {
    expect(likelyCommand(word, names)).toBe(command)
  })
})

test.each(['', 'test', 'hello', 'exec', 'explain', 'configure'])('%j is not taken for another command', (word) => {
  expect(likelyCommand(word, names)).toBeNull()
})
