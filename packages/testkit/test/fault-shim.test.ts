import { expect, test } from 'vitest'
import { countCalls, failNth } from '../src/index.ts'

const port = () => ({ size: 3, read: (name: string) => `content of ${name}`, write: async () => 'written' })

test('calls are counted by name and change nothing', async () => {
  const { port: counted, calls, count } = countCalls(port())
  expect([counted.read('a'), await counted.write(), counted.size]).toEqual(['content of a', 'written', 3])
  expect([calls, count()]).toEqual([['read', 'write'], 2])
})

test('exactly the nth call over all functions fails', async () => {
  const failing = failNth(port(), 2, new Error('no space'))
  expect(failing.read('a')).toBe('content of a')
  await expect(async () => await failing.write()).rejects.toThrow('no space')
  expect(failing.read('b')).toBe('content of b')
})
