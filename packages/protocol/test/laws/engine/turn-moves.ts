import type { ConversationEvent, Item } from '@parley/protocol'
import { noTokens } from '@parley/protocol'
import { type Call, chosen, type Engine, inTurn, type Move, newId, type Turn } from './engine.ts'
import { ada, textInput, userMessage } from './items.ts'

const freshTurn = { phase: 'start', message: null, calls: [], attempt: 0, parked: false } as const

const startByMessage: Move = (engine, { text }) => {
  if (engine.turn !== null) return null
  const { id, engine: next } = newId(engine, 't')
  const item = userMessage(`i-${id}`, text, `m-${id}`)
  return {
    engine: { ...next, turn: { id, ...freshTurn } },
    events: [
      { type: 'turn.started', turnId: id, trigger: 'message' },
      { type: 'item.completed', turnId: id, item },
    ],
  }
}

const startByInbox: Move = (engine, { text }) => {
  const [messageId, ...inbox] = engine.inbox
  if (engine.turn !== null || messageId === undefined) return null
  const { id, engine: next } = newId(engine, 't')
  return {
    engine: { ...next, inbox, turn: { id, ...freshTurn } },
    events: [
      { type: 'turn.started', turnId: id, trigger: 'inbox' },
      { type: 'message.consumed', messageId },
      { type: 'item.completed', turnId: id, item: userMessage(`i-${id}`, text, messageId) },
    ],
  }
}

const steer: Move = inTurn((turn, engine, choice) => {
  const messageId = chosen(engine.inbox, choice)
  if (messageId === undefined || turn.phase === 'model' || turn.calls.length > 0) return null
  const { id, engine: next } = newId(engine, 'i')
  return {
    engine: { ...next, inbox: engine.inbox.filter((other) => other !== messageId) },
    events: [
      { type: 'message.consumed', messageId },
      { type: 'item.completed', turnId: turn.id, item: userMessage(id, choice.text, messageId) },
    ],
  }
})

const park: Move = inTurn((turn, engine) => {
  const isWaiting = turn.calls.some(({ stage }) => stage === 'asked' || stage === 'approved')
  if (!isWaiting || turn.calls.some(hasBegun)) return null
  return {
    engine: { ...engine, turn: { ...turn, parked: true } },
    events: [{ type: 'turn.parked', turnId: turn.id, reason: 'Nobody is here.' }],
  }
})

const goOn: Move = (engine) => {
  if (engine.turn?.parked !== true) return null
  return {
    engine: { ...engine, turn: { ...engine.turn, parked: false } },
    events: [{ type: 'turn.continued', turnId: engine.turn.id }],
  }
}

const complete: Move = inTurn((turn, engine) =>
  turn.phase === 'calls' && turn.calls.length === 0 ? ended(engine, turn, 'completed') : null,
)

const interrupt: Move = (engine, { count }) => {
  const { turn } = engine
  return turn === null || count % 12 > 0 ? null : ended(engine, turn, 'interrupted')
}

const fail: Move = inTurn((turn, engine) => (turn.phase === 'retry' ? ended(engine, turn, 'failed') : null))

function ended(engine: Engine, turn: Turn, outcome: 'completed' | 'interrupted' | 'failed') {
  const closing = openItems(turn).map((item) => closed(turn, { ...item, status: 'interrupted' }))
  const failure = outcome === 'failed' ? { failure: { code: 'overloaded', message: 'Overloaded.', status: 529 } } : {}
  const last: ConversationEvent = {
    type: 'turn.ended',
    turnId: turn.id,
    outcome,
    ...failure,
    usage: noTokens,
    denials: [],
  }
  return { engine: { ...engine, turn: null }, events: [...closing, last] }
}

/** Returns what recovery must make of a crash here, computed a second time and more simply. */
const crash: Move = (engine, { count }) => {
  if (count % 12 > 0) return null
  const { turn } = engine
  const shells = engine.shells.map(
    (item): ConversationEvent => ({ type: 'item.completed', item: { ...item, status: 'unknown' } }),
  )
  const events = [recovered, ...(turn?.calls ?? []).flatMap(withdrawn), ...shells]
  if (turn === null) return { engine: { ...engine, shells: [] }, events }
  if (turn.calls.every((call) => call.stage === 'proposed' || hasBegun(call))) {
    const { engine: next, events: ending } = ended(engine, turn, 'interrupted')
    return { engine: { ...next, shells: [] }, events: [...events, ...ending] }
  }
  const begun = turn.calls.filter(hasBegun)
  const unknown = begun.map(({ item }) => closed(turn, { ...item, status: 'unknown' }))
  const parked: ConversationEvent = { type: 'turn.parked', turnId: turn.id, reason: 'The program ended.' }
  const calls = turn.calls.filter((call) => !hasBegun(call))
  return {
    engine: { ...engine, shells: [], turn: { ...turn, calls, parked: true } },
    events: [...events, ...unknown, parked],
  }
}

function hasBegun({ stage }: Call): boolean {
  return stage === 'begun' || stage === 'asking'
}

/** Question that a call asked while it ran. */
function withdrawn({ stage, approvalId }: Call): ConversationEvent[] {
  return stage === 'asking' ? [{ type: 'approval.decided', approvalId, decision: 'withdrawn', by: ada }] : []
}

const recovered: ConversationEvent = {
  type: 'conversation.recovered',
  by: { pid: 42, program: 'parley' },
  lost: [],
  tornBytes: 0,
  parked: null,
  pending: [],
  text: 'Recovered.',
}

function openItems({ message, calls }: Turn): readonly Item[] {
  return [...(message === null ? [] : [message]), ...calls.map(({ item }) => item)]
}

function closed(turn: Turn, item: Item): ConversationEvent {
  return { type: 'item.completed', turnId: turn.id, item }
}

const queue: Move = (engine, { text, flag }) => {
  const { id, engine: next } = newId(engine, 'm')
  const message = {
    messageId: id,
    when: flag ? ('steer' as const) : ('queue' as const),
    content: textInput(text),
    by: { clientId: 'c-2', name: 'bob' },
  }
  return { engine: { ...next, inbox: [...engine.inbox, id] }, events: [{ type: 'message.queued', message }] }
}

const edit: Move = (engine, choice) => {
  const messageId = chosen(engine.inbox, choice)
  if (messageId === undefined) return null
  return { engine, events: [{ type: 'message.edited', messageId, content: textInput(choice.text) }] }
}

const remove: Move = (engine, choice) => {
  const messageId = chosen(engine.inbox, choice)
  if (messageId === undefined) return null
  const inbox = engine.inbox.filter((other) => other !== messageId)
  return { engine: { ...engine, inbox }, events: [{ type: 'message.removed', messageId }] }
}

export const turnMoves: readonly Move[] = [
  startByMessage,
  startByInbox,
  steer,
  park,
  goOn,
  complete,
  interrupt,
  fail,
  crash,
]
export const inboxMoves: readonly Move[] = [queue, edit, remove]
