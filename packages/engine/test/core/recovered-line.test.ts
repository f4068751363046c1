import type { ConversationEvent } from '@parley/protocol'
import { expect, test } from 'vitest'
import { recoveredLine } from '../../src/core/recovered-line.ts'
import { logOf, started } from '../calls/sample-calls.ts'

const text = 'Recovered after parley ended unexpectedly: still running: make it; the turn goes on.'
const recovered: ConversationEvent = {
  type: 'conversation.recovered',
  by: { pid: 1, program: 'test' },
  lost: [],
  tornBytes: 0,
  parked: null,
  pending: [],
  text,
}
const left = logOf({}, started)
const open = left.core.open['item']

const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, reasoningTokens: 0 }

test('the line about a recovery is gone once the command that it calls running, or its turn, has ended', () => {
  if (open === undefined) throw new Error('nothing runs')
  const done: ConversationEvent = {
    type: 'item.completed',
    turnId: 'turn',
    item: { ...open.item, status: 'completed' },
  }
  const ended: ConversationEvent = { type: 'turn.ended', turnId: 'turn', outcome: 'completed', usage, denials: [] }
  const line = recoveredLine([recovered], left.core, new Map([['item', 7]]))
  expect(line(logOf({}, started, recovered).core)).toBe(text)
  expect(line(logOf({}, started, recovered, done).core)).toBeNull()
  const ofTurn = recoveredLine([recovered], left.core, new Map())
  expect(ofTurn(logOf({}, started, recovered, done).core)).toBe(text)
  expect(ofTurn(logOf({}, started, recovered, done, ended).core)).toBeNull()
})
