import type { ConversationEvent } from '@parley/protocol'
import {
  type Call,
  type Choice,
  chosen,
  type Engine,
  inTurn,
  type Move,
  newId,
  type Step,
  type Turn,
  withTurn,
} from './engine.ts'
import { ada, approvalOf, questionOf } from './items.ts'

const atStage = (
  stage: Call['stage'],
  step: (call: Call, turn: Turn, at: { engine: Engine; choice: Choice }) => Step | null,
) => inTurn((turn, engine, choice) => callStep(turn, stage, { engine, choice }, step))

function callStep(
  turn: Turn,
  stage: Call['stage'],
  at: { engine: Engine; choice: Choice },
  step: Parameters<typeof atStage>[1],
) {
  if (turn.phase !== 'calls') return null
  const call = chosen(
    turn.calls.filter((other) => other.stage === stage),
    at.choice,
  )
  return call === undefined ? null : step(call, turn, at)
}

const allow: Move = atStage('proposed', (call, turn, { engine }) =>
  begun(engine, turn, call, { rule: { name: 'builtin:known-safe' }, reason: 'Only reads.' }),
)

const refuse: Move = atStage('proposed', (call, turn, { engine, choice }) =>
  closed(engine, turn, { ...call, item: { ...call.item, status: choice.flag ? 'denied' : 'failed' } }),
)

const ask: Move = atStage('proposed', (call, turn, { engine }) => asked(engine, turn, call))

/** A command that failed in the sandbox asks to run with more rights. */
const askAgain: Move = atStage('begun', (call, turn, { engine, choice }) => {
  if (call.attempt > 1) return null
  const item = { ...call.item, status: 'failed' as const, attempt: 1, modelText: choice.text }
  const { engine: next, events } = asked(engine, turn, { ...call, item, attempt: 2 })
  return { engine: next, events: [{ type: 'execution.failed', itemId: item.id, attempt: 1, item }, ...events] }
})

/** Answers come for parked turns too. */
const answer: Move = (engine, choice) => {
  const { turn } = engine
  if (turn === null) return null
  return callStep({ ...turn, parked: false }, 'asked', { engine, choice }, (call, waiting) =>
    choice.flag ? approved(call, waiting, { engine, choice }) : denied(call, waiting, { engine, choice }),
  )
}

function approved(call: Call, turn: Turn, { engine, choice }: { engine: Engine; choice: Choice }): Step {
  const decision = choice.count % 2 === 0 ? 'approved' : 'approvedForSession'
  return {
    engine: withCall(engine, turn, { ...call, stage: 'approved' }),
    events: [{ type: 'approval.decided', approvalId: call.approvalId, decision, by: ada }],
  }
}

function denied(call: Call, turn: Turn, { engine, choice }: { engine: Engine; choice: Choice }): Step {
  const decision = (['denied', 'abort', 'withdrawn'] as const)[choice.count % 3] ?? 'denied'
  // A call that has run keeps its outcome.
  const item = call.attempt > 1 ? call.item : { ...call.item, status: 'denied' as const }
  const { engine: next, events } = closed(engine, turn, { ...call, item })
  return {
    engine: next,
    events: [
      { type: 'approval.decided', approvalId: call.approvalId, decision, note: choice.text, by: ada },
      ...events,
    ],
  }
}

const begin: Move = atStage('approved', (call, turn, { engine }) =>
  begun(engine, turn, call, { approvalId: call.approvalId }),
)

const print: Move = atStage('begun', ({ item }, _turn, { engine, choice }) => ({
  engine,
  events: [{ type: 'item.delta', itemId: item.id, text: choice.text }],
}))

const printMuch: Move = atStage('begun', ({ item }, _turn, { engine, choice }) => ({
  engine,
  events: [{ type: 'item.progress', itemId: item.id, totalBytes: 65_536 + choice.count, tail: choice.text }],
}))

const finish: Move = atStage('begun', (call, turn, { engine, choice }) => {
  const { item } = call
  const status = choice.flag ? 'completed' : 'failed'
  return closed(engine, turn, {
    ...call,
    item: { ...item, status, attempt: call.attempt, durationMs: choice.count, modelText: choice.text },
  })
})

/** Question of a running call to the user, as an MCP server asks it. */
const elicit: Move = atStage('begun', (call, turn, { engine }) => {
  const { id: approvalId, engine: next } = newId(engine, 'a')
  return {
    engine: withCall(next, turn, { ...call, stage: 'asking', approvalId }),
    events: [{ type: 'approval.requested', approval: questionOf(call, approvalId, turn.id) }],
  }
})

const reply: Move = atStage('asking', (call, turn, { engine, choice }) => {
  const { approvalId } = call
  const decision = (['approved', 'denied', 'withdrawn'] as const)[choice.count % 3] ?? 'denied'
  const answers = decision === 'approved' ? { answers: { branch: choice.text } } : {}
  return {
    engine: withCall(engine, turn, { ...call, stage: 'begun' }),
    events: [{ type: 'approval.decided', approvalId, decision, ...answers, by: ada }],
  }
})

function asked(engine: Engine, turn: Turn, call: Call): Step {
  const { id: approvalId, engine: next } = newId(engine, 'a')
  return {
    engine: withCall(next, turn, { ...call, stage: 'asked', approvalId }),
    events: [{ type: 'approval.requested', approval: approvalOf(call, approvalId, turn.id) }],
  }
}

type DecidedBy = Extract<ConversationEvent, { type: 'execution.started' }>['decidedBy']

function begun(engine: Engine, turn: Turn, call: Call, decidedBy: DecidedBy): Step {
  const { item, attempt } = call
  return {
    engine: withCall(engine, turn, { ...call, stage: 'begun' }),
    events: [{ type: 'execution.started', itemId: item.id, attempt, decidedBy, payloadHash: 'sha256:aa' }],
  }
}

function closed(engine: Engine, turn: Turn, { item }: Call): Step {
  const calls = turn.calls.filter((other) => other.item.id !== item.id)
  return {
    engine: withTurn(engine, turn, { calls }),
    events: [{ type: 'item.completed', turnId: turn.id, item }],
  }
}

function withCall(engine: Engine, turn: Turn, call: Call): Engine {
  return withTurn(engine, turn, { calls: turn.calls.map((other) => (other.item.id === call.item.id ? call : other)) })
}

export const callMoves: readonly Move[] = [
  allow,
  refuse,
  ask,
  ask,
  askAgain,
  answer,
  answer,
  begin,
  print,
  printMuch,
  elicit,
  reply,
  finish,
]
