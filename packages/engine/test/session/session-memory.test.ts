import { describe, expect, it } from 'vitest'
import { createSessionMemory } from '../../src/session/session-memory.ts'

const call = { callId: 'x', name: 'shell', arguments: '{}' }
const answer = { by: { clientId: 'c-1', name: 'one' }, decision: 'approved' } as const

describe('the memory of a session', () => {
  it('forgets an exact call that is over when it keeps another', () => {
    const memory = createSessionMemory()
    memory.keepCall('i-1', call, () => true)
    memory.keepCall('i-2', call, (itemId) => itemId !== 'i-1')
    expect([memory.exactCall('i-1'), memory.exactCall('i-2')]).toEqual([undefined, call])
  })

  it('ends a question once', () => {
    const memory = createSessionMemory()
    memory.ask('a-1', { check: () => null, reply: () => undefined })
    expect([memory.endQuestion('a-1'), memory.endQuestion('a-1')]).toEqual([true, false])
    expect(memory.question('a-1')).toBeUndefined()
  })

  it('remembers the newest hundred answers', () => {
    const memory = createSessionMemory()
    for (let n = 0; n <= 100; n++) memory.answered(`a-${n}`, answer)
    expect(memory.answerTo('a-0')).toBeUndefined()
    expect([memory.answerTo('a-1'), memory.answerTo('a-100')]).toEqual([answer, answer])
  })

  it('counts a notice as first once', () => {
    const memory = createSessionMemory()
    expect([memory.isFirstNotice('x'), memory.isFirstNotice('x'), memory.isFirstNotice('y')]).toEqual([
      true,
      false,
      true,
    ])
  })
})
