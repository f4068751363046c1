import type { Envelope } from '@parley/protocol'

/** Loose on purpose: an event or item of a kind this client does not know is an envelope all the same. */
export function isEnvelope(value: unknown): value is Envelope {
  if (typeof value !== 'object' || value === null) return false
  if (!('conversationId' in value && 'seq' in value && 'at' in value && 'event' in value)) return false
  const { conversationId, seq, at, event } = value
  const hasType = typeof event === 'object' && event !== null && 'type' in event && typeof event.type === 'string'
  return typeof conversationId === 'string' && typeof seq === 'number' && typeof at === 'number' && hasType
}
