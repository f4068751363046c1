import { describe, expect, it } from 'vitest'
import { createSessionMemory } from '../../src/session/session-memory.ts'

const call = { callId: 'x', name: 'shell', arguments: '{}' }
const answer = { by: { clientId: 'c-1', name: 'one' }, decision: 'approved' } as const

describe('the memory of a session', () => {
  it('forgets an exact call that is over when it keeps another', () => {
    const memory = createSessionMemory(new Map())
    memory.exactCalls.keep('i-1', call, () => true)
    memory.exactCalls.keep('i-2', call, (itemId) => itemId !== 'i-1')
    expect([memory.exactCalls.find('i-1'), memory.exactCalls.find('i-2')]).toEqual([undefined, call])
  })

  it('ends a question once', () => {
    const memory = createSessionMemory(new Map())
    memory.questions.ask('a-1', { check: () => null, reply: () => undefined })
    expect([memory.questions.end('a-1'), memory.questions.end('a-1')]).toEqual([true, false])
    expect(memory.questions.find('a-1')).toBeUndefined()
  })

  it('remembers the newest hundred answers', () => {
    const memory = createSessionMemory(new Map())
    for (let n = 0; n <= 100; n++) memory.questions.answered(`a-${n}`, answer)
    expect(memory.questions.answerTo('a-0')).toBeUndefined()
    expect([memory.questions.answerTo('a-1'), memory.questions.answerTo('a-100')]).toEqual([answer, answer])
  })

  it('counts a notice as first once', () => {
    const memory = createSessionMemory(new Map())
    expect([memory.isFirstNotice('x'), memory.isFirstNotice('x'), memory.isFirstNotice('y')]).toEqual([
      true,
      false,
      true,
    ])
  })
})
