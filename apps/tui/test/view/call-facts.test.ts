import type { ItemOf } from '@parley/protocol'
import { expect, test } from 'vitest'
import { callFacts } from '../../src/view/blocks/call-facts.ts'

const stopped: ItemOf<'commandExecution'> = {
  id: 'c1',
  type: 'commandExecution',
  status: 'interrupted',
  title: 'rm x',
  text: 'rm x',
  tool: 'shell',
  command: ['/bin/sh', '-c', 'rm x'],
  cwd: '/home/ada/shop',
}

test.each([
  ['midway', { ...stopped, durationMs: 1_234 }, ' · interrupted · 1.2 s'],
  ['before it began', stopped, ' · not run'],
])('a call stopped %s says so', (_when, item, expected) => {
  const words = callFacts(item).map(({ text }) => text)
  expect(words.join('')).toBe(expected)
})
