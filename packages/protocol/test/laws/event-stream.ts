import { type ConversationEvent, type ConversationState, type Envelope, initialState, reduce } from '@parley/protocol'
import fc from 'fast-check'
import { asideMoves } from './engine/aside-moves.ts'
import { callMoves } from './engine/call-moves.ts'
import { type Choice, type Engine, type Move, newEngine, type Step } from './engine/engine.ts'
import { modelMoves } from './engine/model-moves.ts'
import { inboxMoves, turnMoves } from './engine/turn-moves.ts'

/** A log that an engine could have written, and how that engine stood at its end. */
export interface EventStream {
  readonly envelopes: Envelope[]
  readonly engine: Engine
}

export const conversationId = '01890000-0000-7000-8000-000000000000'

const texts = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constant('a\nb'),
)

const choices: fc.Arbitrary<Choice> = fc.record({
  pick: fc.nat(1_000_000),
  count: fc.nat(1000),
  flag: fc.boolean(),
  text: texts,
})

/** Walks the small engine: at each step chance picks one of the things it could do then. */
export const eventStreams: fc.Arbitrary<EventStream> = fc.array(choices, { maxLength: 90, size: 'max' }).map(walk)

/** Work of a turn is tried before what can happen at any time, or streams would hold little else. */
const moves: readonly (readonly Move[])[] = [
  [...turnMoves, ...modelMoves, ...callMoves],
  [...modelMoves, ...callMoves],
  [...callMoves, ...turnMoves],
  [...inboxMoves, ...asideMoves, ...turnMoves],
]

function walk(chance: readonly Choice[]): EventStream {
  const events: { event: ConversationEvent; choice: Choice }[] = []
  let engine = newEngine
  for (const choice of chance) {
    const step = nextStep(engine, choice)
    engine = step?.engine ?? engine
    for (const event of step?.events ?? []) events.push({ event, choice })
  }
  return { envelopes: numbered(events), engine }
}

function nextStep(engine: Engine, choice: Choice): Step | undefined {
  const group = moves[choice.pick % moves.length] ?? []
  const possible = group.map((move) => move(engine, choice)).filter((step) => step !== null)
  return possible[Math.floor(choice.pick / moves.length) % Math.max(1, possible.length)]
}

const created: ConversationEvent = {
  type: 'conversation.created',
  cwd: '/repo',
  settings: {
    model: 'm1',
    modelProvider: 'fake',
    approvalPolicy: 'untrusted',
    sandbox: 'workspace-write',
    enforcement: 'full',
    writableRoots: [],
  },
  program: 'parley 0.1.0',
}

/** Dense numbers but for a few gaps, which a damaged log may have. */
function numbered(events: readonly { event: ConversationEvent; choice: Choice }[]): Envelope[] {
  let seq = 1
  let at = 1_700_000_000_000
  const rest = events.map(({ event, choice }) => {
    seq += choice.pick % 50 === 0 ? 3 : 1
    at += choice.count
    return { conversationId, seq, at, event }
  })
  return [{ conversationId, seq: 1, at: 1_700_000_000_000, event: created }, ...rest]
}

export function fold(envelopes: readonly Envelope[], state = initialState(conversationId)): ConversationState {
  return envelopes.reduce(reduce, state)
}

/** Numbers events on from a state, as the engine would. */
export function continued(state: ConversationState, events: readonly ConversationEvent[]): Envelope[] {
  return events.map((event, index) => ({
    conversationId,
    seq: state.core.seq + 1 + index,
    at: 1_800_000_000_000,
    event,
  }))
}

/** A stream and a place to cut it. */
export const cutStreams: fc.Arbitrary<{ before: Envelope[]; after: Envelope[] }> = fc
  .tuple(eventStreams, fc.nat(1_000_000))
  .map(([{ envelopes }, place]) => {
    const at = place % (envelopes.length + 1)
    return { before: envelopes.slice(0, at), after: envelopes.slice(at) }
  })
