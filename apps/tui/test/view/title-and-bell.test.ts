import type { ConversationState } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { announce, unannounced } from '../../src/view/title-and-bell.ts'
import { after, completed, requested, startedAt, turnEnded, turnStarted, userMessage } from './scenes/conversation.ts'

const running = after(turnStarted, completed(userMessage('fix\u0007 it')))
const asking = after(turnStarted, completed(userMessage('fix it')), requested())
const done = after(turnStarted, completed(userMessage('fix it')), turnEnded())

/** State of the program so many ms after the start; the last key came so many ms after it. */
function at(state: ConversationState, ms: number, { typedMs = -60_000, asks = false } = {}) {
  return { state, approvalId: asks ? 'a1' : null, nowMs: startedAt + ms, typedAtMs: startedAt + typedMs }
}

describe('the title', () => {
  test('is that of the conversation, once and harmless', () => {
    const { announced, title } = announce(unannounced, at(running, 0))
    expect(title).toBe('parley: fix\\x07 it')
    expect(announce(announced, at(running, 0)).title).toBeNull()
  })

  test('is marked while an approval waits', () => {
    expect(announce(unannounced, at(asking, 0, { asks: true })).title).toBe('? parley: fix it')
  })
})

describe('what is told', () => {
  test('is an approval, once', () => {
    const first = announce(unannounced, at(asking, 0, { asks: true }))
    expect(first.telling).toEqual({
      type: 'approval',
      conversationId: asking.core.meta.conversationId,
      cwd: asking.core.meta.cwd,
      title: 'parley: fix it',
      text: 'waits for your answer: npm install left-pad',
    })
    expect(announce(first.announced, at(asking, 1, { asks: true })).telling).toBeNull()
  })

  test('is a turn that waits at a limit, once', () => {
    const event = { type: 'turn.parked', turnId: 't1', reason: 'Limit reached.', limit: 'tokens' } as const
    const limited = after(turnStarted, completed(userMessage('fix it')), event)
    const before = announce(unannounced, at(running, 0)).announced
    const first = announce(before, at(limited, 1))
    expect(first).toMatchObject({
      title: '? parley: fix it',
      telling: { type: 'approval', text: 'waits for your answer: a limit is reached' },
    })
    expect(announce(first.announced, at(limited, 2)).telling).toBeNull()
  })

  test('is the end of a turn only if it took long', () => {
    const { announced } = announce(unannounced, at(running, 0))
    expect(announce(announced, at(done, 10_000)).telling).toBeNull()
    expect(announce(announced, at(done, 13_000)).telling).toMatchObject({ type: 'turnEnded', text: 'is done' })
  })

  test('is also why a turn failed', () => {
    const failure = { code: 'unreachable', message: 'The provider\ncannot be reached.' } as const
    const failed = after(turnStarted, completed(userMessage('fix it')), turnEnded('failed', failure))
    const { announced } = announce(unannounced, at(running, 0))
    const text = 'stopped: The provider cannot be reached.'
    expect(announce(announced, at(failed, 13_000)).telling).toMatchObject({ type: 'failed', text })
  })

  test('waits until nothing was typed for a while', () => {
    const typing = announce(unannounced, at(asking, 0, { asks: true, typedMs: -1_000 }))
    expect(typing).toMatchObject({ telling: null, againAtMs: startedAt + 7_000 })
    const later = announce(typing.announced, at(asking, 7_000, { asks: true, typedMs: -1_000 }))
    expect(later.telling).toMatchObject({ type: 'approval' })
  })

  test('is left out for somebody who typed since, or after the answer', () => {
    const typing = announce(unannounced, at(asking, 0, { asks: true, typedMs: -1_000 }))
    const typed = announce(typing.announced, at(asking, 9_000, { asks: true, typedMs: 500 }))
    expect(typed).toMatchObject({ telling: null, againAtMs: null })
    const answered = announce(typing.announced, at(asking, 9_000, { typedMs: -1_000 }))
    expect(answered).toMatchObject({ telling: null, againAtMs: null })
  })
})
