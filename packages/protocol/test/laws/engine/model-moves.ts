import { type ConversationEvent, noTokens } from '@parley/protocol'
import { type Call, inTurn, type Move, newId, withTurn } from './engine.ts'
import { proposal, spoken, tokens } from './items.ts'

const request: Move = inTurn((turn, engine) => {
  if (turn.phase === 'model' || turn.calls.length > 0) return null
  const attempt = turn.phase === 'retry' ? turn.attempt + 1 : 1
  return {
    engine: withTurn(engine, turn, { phase: 'model', attempt }),
    events: [{ type: 'model.requested', turnId: turn.id, attempt }],
  }
})

const speak: Move = inTurn((turn, engine, choice) => {
  if (turn.phase !== 'model' || turn.message !== null) return null
  const { id, engine: next } = newId(engine, 'i')
  const item = spoken(id, choice)
  return {
    engine: withTurn(next, turn, { message: item }),
    events: [{ type: 'item.started', turnId: turn.id, item }],
  }
})

const speakOn: Move = inTurn((turn, engine, { text }) => {
  if (turn.message === null) return null
  return { engine, events: [{ type: 'item.delta', itemId: turn.message.id, text }] }
})

const speakNoMore: Move = inTurn((turn, engine, { text }) => {
  if (turn.message === null) return null
  const item = { ...turn.message, status: 'completed' as const, text }
  return {
    engine: withTurn(engine, turn, { message: null }),
    events: [{ type: 'item.completed', turnId: turn.id, item }],
  }
})

const propose: Move = inTurn((turn, engine, choice) => {
  if (turn.phase !== 'model' || turn.message !== null) return null
  const { id, engine: next } = newId(engine, 'i')
  const call: Call = { item: proposal(id, choice), stage: 'proposed', approvalId: '', attempt: 1 }
  return {
    engine: withTurn(next, turn, { calls: [...turn.calls, call] }),
    events: [{ type: 'item.started', turnId: turn.id, item: call.item }],
  }
})

const respond: Move = inTurn((turn, engine, choice) => {
  if (turn.phase !== 'model' || turn.message !== null) return null
  const calls = turn.calls.map(({ item }) => ({ itemId: item.id, callId: 'call_1', name: item.tool, arguments: '{}' }))
  const contextWindow = choice.flag ? { contextWindow: choice.count } : {}
  return {
    engine: withTurn(engine, turn, { phase: 'calls' }),
    events: [
      { type: 'usage.updated', turnId: turn.id, counts: choice.flag ? tokens(choice) : noTokens, ...contextWindow },
      {
        type: 'model.responded',
        turnId: turn.id,
        adapter: 'chat/1',
        parts: [{ said: choice.text }],
        text: choice.text,
        calls,
      },
    ],
  }
})

const breakOff: Move = inTurn((turn, engine, { count }) => {
  if (turn.phase !== 'model' || count % 4 > 0) return null
  const ids = [...(turn.message === null ? [] : [turn.message.id]), ...turn.calls.map(({ item }) => item.id)]
  const discarded = ids.map(
    (itemId): ConversationEvent => ({ type: 'item.discarded', itemId, reason: 'The stream was cut.' }),
  )
  const failure = { code: 'overloaded', message: 'Overloaded.' }
  return {
    engine: withTurn(engine, turn, { phase: 'retry', message: null, calls: [] }),
    events: [
      ...discarded,
      { type: 'retry.scheduled', turnId: turn.id, retryAt: count, attempt: turn.attempt + 1, failure },
    ],
  }
})

export const modelMoves: readonly Move[] = [
  request,
  speak,
  speakOn,
  speakOn,
  speakNoMore,
  propose,
  propose,
  respond,
  breakOff,
]
