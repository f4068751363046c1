import { describe, expect, it } from 'vitest'
import { createTaskQueue } from '../../../src/engine/open/open-conversations.ts'

describe('tasks', () => {
  it('of one key run one after the other, failed ones too', async () => {
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

  it('of different keys do not wait for each other', async () => {
    const inOrder = createTaskQueue()
    const gate = Promise.withResolvers<void>()
    const slow = inOrder('a', () => gate.promise)
    expect(await inOrder('b', () => Promise.resolve('quick'))).toBe('quick')
    gate.resolve()
    await slow
  })
})
