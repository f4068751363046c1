import { describe, expect, it } from 'vitest'
import { createTaskQueue } from '../../../src/engine/open/open-conversations.ts'

describe('a task queue', () => {
  it('runs tasks of one key one after the other, also after a failed one', async () => {
    const inOrder = createTaskQueue()
    const log: string[] = []
    const task =
      (name: string, fails = false) =>
      async () => {
        log.push(`${name} begins`)
        await Promise.resolve()
        log.push(`${name} ends`)
        if (fails) throw new Error(name)
        return name
      }
    const results = await Promise.allSettled([inOrder('k', task('a', true)), inOrder('k', task('b'))])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
  })

  it('runs tasks of different keys side by side', async () => {
    const inOrder = createTaskQueue()
    const gate = Promise.withResolvers<void>()
    const slow = inOrder('a', () => gate.promise)
    expect(await inOrder('b', () => Promise.resolve('quick'))).toBe('quick')
    gate.resolve()
    await slow
  })
})
