import type { ConversationEvent, Envelope, Item } from '@parley/protocol'

/** Left out of descriptions, since its count depends on time. */
export function isQuiet({ event }: Envelope): boolean {
  return event.type === 'item.delta' || event.type === 'item.progress'
}

/** Describes an event in a few words, without ids. */
export function describeEvent({ event }: Envelope): string {
  return [event.type, ...details(event)].join(' ')
}

function details(event: ConversationEvent): string[] {
  switch (event.type) {
    case 'item.started':
    case 'item.completed':
      return [describeItem(event.item)]
    case 'execution.started':
      return ['approvalId' in event.decidedBy ? 'by approval' : `by ${event.decidedBy.rule.name}`]
    case 'approval.decided':
      return [event.decision]
    case 'turn.started':
      return [event.trigger]
    case 'turn.ended':
      return event.failure === undefined ? [event.outcome] : [event.outcome, event.failure.code]
    case 'model.requested':
      return [String(event.attempt)]
    case 'message.queued':
      return [event.message.when]
    case 'retry.scheduled':
      return [String(event.attempt), event.failure.code]
    default:
      return []
  }
}

function describeItem(item: Item): string {
  const what = item.type === 'notice' ? `notice:${item.code}` : 'tool' in item ? item.tool : item.type
  return `${what} ${item.status}`
}
