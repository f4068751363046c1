import { describe, expect, it } from 'vitest'
import { createInOrder } from '../../src/time/in-order.ts'

describe('a task queue', () => {
  it('runs tasks of one key one after the other, also after a failed one', async () => {
    const inOrder = createInOrder()
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
    const inOrder = createInOrder()
    const gate = Promise.withResolvers<void>()
    const slow = inOrder('a', () => gate.promise)
    expect(await inOrder('b', () => Promise.resolve('quick'))).toBe('quick')
    gate.resolve()
    await slow
  })
})

describe('changes of one conversation', () => {
  it('run at once when none is pending', () => {
    const inOrder = createInOrder()
    const refuse = () => {
      throw new Error('no')
    }
    expect(inOrder('a', () => 1)).toBe(1)
    expect(() => inOrder('a', refuse)).toThrow('no')
    expect(inOrder('a', () => 2)).toBe(2)
  })

  it('wait for the one before, however it ends, and not for other conversations', async () => {
    const inOrder = createInOrder()
    const first = Promise.withResolvers<string>()
    const made: string[] = []
    const make = (name: string) => () => {
      made.push(name)
      return name
    }
    const one = inOrder('a', () => first.promise)
    const two = inOrder('a', make('two'))
    const failing = inOrder('a', () => Promise.reject(new Error('no')))
    const four = inOrder('a', make('four'))
    expect(inOrder('b', make('other'))).toBe('other')
    expect(made).toEqual(['other'])
    const refused = expect(failing).rejects.toThrow('no')
    first.resolve('one')
    expect(await Promise.all([one, two, four])).toEqual(['one', 'two', 'four'])
    await refused
    expect(made).toEqual(['other', 'two', 'four'])
    await new Promise((resolve) => setImmediate(resolve))
    expect(inOrder('a', make('five'))).toBe('five')
  })
})
