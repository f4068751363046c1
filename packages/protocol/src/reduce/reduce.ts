import type { ConversationEvent, Envelope, EventOf } from '../schema/event.ts'
import type { ConversationCore, ConversationState } from '../schema/state.ts'
import { reduceApproval } from './approvals.ts'
import { type CompactionEvent, reduceCompaction } from './compactions.ts'
import { type MetaEvent, reduceMeta } from './conversation.ts'
import { reduceHook, reduceRunningHook, reduceStartedHooks } from './hooks.ts'
import { reduceItem } from './items.ts'
import { type InboxEvent, reduceInbox, reduceTurn, type TurnEvent } from './turns.ts'

/**
 * Applies an event to a state, in servers, clients and resumes alike. Total and pure: an unknown type only moves `seq`,
 * a seq already applied changes nothing, gaps are accepted.
 */
export function reduce(state: ConversationState, envelope: Envelope): ConversationState {
  if (envelope.seq <= state.core.seq) return state
  const { event } = envelope
  const next = isKnown(event) ? reduceEvent(state, event.type, { event, envelope }) : state
  return { core: { ...next.core, seq: envelope.seq }, window: next.window }
}

type EventType = ConversationEvent['type']
type EventsByType = { readonly [Type in EventType]: EventOf<Type> }
type Reducer<Event> = (state: ConversationState, event: Event, envelope: Envelope) => ConversationState

const meta = onCore((core, event: MetaEvent, { at }) => reduceMeta(core, event, at))
const inbox = onCore((core, event: InboxEvent, { seq }) => reduceInbox(core, event, seq))
const turn = onCore((core, event: TurnEvent, envelope) => reduceTurn(core, event, envelope))
const approval = onCore(reduceApproval)
const compaction = onCore((core, event: CompactionEvent, { seq }) => reduceCompaction(core, event, seq))

/** Reducer of every type of event; a missing one does not compile. */
const reducers: { readonly [Type in EventType]: Reducer<EventsByType[Type]> } = {
  'conversation.created': meta,
  'conversation.configured': meta,
  'conversation.moved': meta,
  'conversation.renamed': meta,
  'conversation.archived': meta,
  'conversation.shared': meta,
  'conversation.recovered': meta,
  'conversation.upgraded': meta,
  'context.set': meta,
  'plan.updated': meta,
  'forwards.changed': meta,
  'waits.changed': meta,
  'context.cleared': compaction,
  'context.compacted': compaction,
  'context.restored': compaction,
  'message.queued': inbox,
  'message.edited': inbox,
  'message.removed': inbox,
  'message.consumed': inbox,
  'turn.started': turn,
  'turn.parked': turn,
  'turn.continued': turn,
  'turn.ended': turn,
  'model.requested': turn,
  'model.responded': turn,
  'retry.scheduled': turn,
  'model.fellBack': turn,
  'usage.updated': turn,
  'approval.requested': approval,
  'approval.decided': approval,
  'item.started': reduceItem,
  'item.delta': reduceItem,
  'item.progress': reduceItem,
  'item.completed': reduceItem,
  'item.discarded': reduceItem,
  'execution.started': reduceItem,
  'execution.failed': reduceItem,
  'files.changed': (state) => state,
  'hooks.started': onCore(reduceStartedHooks),
  'hook.running': onCore(reduceRunningHook),
  'hook.ran': onCore(reduceHook),
}

function onCore<Event>(
  reduceCore: (core: ConversationCore, event: Event, envelope: Envelope) => ConversationCore,
): Reducer<Event> {
  return (state, event, envelope) => ({ ...state, core: reduceCore(state.core, event, envelope) })
}

/** Tests if this version has a reducer for an event: newer programs write types that it does not know. */
function isKnown({ type }: { readonly type: string }): boolean {
  return Object.hasOwn(reducers, type)
}

function reduceEvent<Type extends EventType>(
  state: ConversationState,
  type: Type,
  { event, envelope }: { readonly event: EventsByType[Type]; readonly envelope: Envelope },
): ConversationState {
  return reducers[type](state, event, envelope)
}
