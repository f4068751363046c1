import type { ConversationEvent, EventOf } from '@parley/protocol'

type EventType = ConversationEvent['type']

/** Decides for each type of event if plain lines or Codex lines report it; a missing type does not compile. */
const reported = {
  'conversation.created': false,
  'conversation.configured': false,
  'conversation.moved': false,
  'conversation.renamed': false,
  'conversation.archived': false,
  'conversation.shared': false,
  'conversation.recovered': false,
  'conversation.upgraded': false,
  'context.set': false,
  'context.cleared': false,
  'context.compacted': false,
  'context.restored': false,
  'plan.updated': true,
  'forwards.changed': false,
  'waits.changed': false,
  'message.queued': false,
  'message.edited': false,
  'message.removed': false,
  'message.consumed': false,
  'turn.started': false,
  'turn.parked': false,
  'turn.continued': false,
  'turn.ended': false,
  'model.requested': false,
  'model.responded': false,
  'model.fellBack': false,
  'retry.scheduled': true,
  'usage.updated': false,
  'approval.requested': false,
  'approval.decided': false,
  'item.started': true,
  'item.delta': true,
  'item.progress': false,
  'item.completed': true,
  'item.discarded': true,
  'execution.started': true,
  'execution.failed': false,
  'files.changed': false,
  'hooks.started': false,
  'hook.running': false,
  'hook.ran': false,
} satisfies Record<EventType, boolean>

type ReportedType = { [Type in EventType]: (typeof reported)[Type] extends true ? Type : never }[EventType]
type ReportedEvents = { readonly [Type in ReportedType]: EventOf<Type> }

/** Writers of lines by type of event; a reporter without one of them does not compile. */
export type EventWriters = { readonly [Type in ReportedType]: (event: ReportedEvents[Type]) => void }

/** Writes the lines about an event, if the type is reported. */
export function writeEvent(writers: EventWriters, event: ConversationEvent): void {
  if (isReported(event)) callWriter(writers, event.type, event)
}

function callWriter<Type extends ReportedType>(writers: EventWriters, type: Type, event: ReportedEvents[Type]): void {
  writers[type](event)
}

/** Returns false also for events of newer servers, which have types that are not listed here. */
function isReported(event: ConversationEvent): event is EventOf<ReportedType> {
  return Object.hasOwn(reported, event.type) && reported[event.type]
}
