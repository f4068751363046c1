import { type ConversationCore, type ConversationState, type Envelope, limits, reduce } from '@parley/protocol'
import { formatBytes } from '@parley/workspace'
import { RefusedEventError } from '../replies/refused-event.ts'
import { jsonBytes } from '../replies/wire-limits.ts'

/** Bytes that an event may add to a core besides what its line holds: defaults of an open item, a remembered request. */
const perEventBytes = 1024
/** Bytes of a line that may also use the reserve, so that a full core is not measured for each delta. */
const smallLineBytes = 64 * 1024

/**
 * Keeps the core of a conversation so small that a snapshot with it fits in a line. Measures the core only when lines
 * since the last measure could have filled it. A log of an earlier version may begin with a larger core.
 */
export function createStateSizeLimit() {
  let first: number | undefined
  /** JSON bytes that the core has at most. */
  let atMost = 0

  return {
    /**
     * Allows events before they are written, given the core before and after them and the bytes of each line. Throws
     * `stateTooLarge` when the core would grow beyond its limit; events that make it smaller are always allowed.
     */
    take(before: ConversationCore, after: ConversationCore, lineBytes: readonly number[]): void {
      if (first === undefined) {
        first = jsonBytes(before)
        atMost = first
      }
      const added = lineBytes.reduce((sum, sizeBytes) => sum + sizeBytes + perEventBytes, 0)
      const isSmall = lineBytes.every((sizeBytes) => sizeBytes <= smallLineBytes)
      const most = Math.max(limits.core, first) + (isSmall ? limits.coreReserve : 0)
      if (atMost + added <= most) {
        atMost += added
        return
      }
      const sizeBytes = jsonBytes(after)
      if (sizeBytes > most && sizeBytes > jsonBytes(before)) throw tooLarge(sizeBytes)
      atMost = sizeBytes
    },
  }
}

function tooLarge(sizeBytes: number): RefusedEventError {
  return new RefusedEventError(
    'stateTooLarge',
    `What waits and runs in this conversation would take ${formatBytes(sizeBytes)}, and ${formatBytes(limits.core)} can be shown at once. Nothing of it was recorded. Take messages back, answer or interrupt what is open, and send it again.`,
  )
}

export function statesAfter(start: ConversationState, envelopes: readonly Envelope[]): ConversationState[] {
  let state = start
  return envelopes.map((envelope) => {
    state = reduce(state, envelope)
    return state
  })
}
