import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server'

/** The SDK's name for the stream of what no request asked for, which a client's GET opens. */
const unaskedStream = '_GET_stream'
/** Asks for what has waited for a GET: no client knows it, we say it for them. */
const fromTheFirstWaiting = 'waiting'

interface Kept {
  readonly number: number
  readonly streamId: string
  readonly message: JSONRPCMessage
  readonly sizeBytes: number
}

export interface EventBuffer extends EventStore {
  /** The cursor by which a GET without one gets what has waited for it; null when nothing waits. */
  readonly waitingFrom: string | null
  /** A GET has taken over: what it does not read, it knows where to ask for. */
  taken(): void
  /** The GET is gone: what comes from now on waits. */
  left(): void
}

/** What was sent over HTTP to one client, so that a stream that breaks, or opens late, goes on where it ended. */
export function createEventBuffer(limitBytes = 32 << 20): EventBuffer {
  const kept: Kept[] = []
  let heldBytes = 0
  let number = 0
  /** Unasked events after this number have met no open stream; null while one is open. */
  let waitingAfter: number | null = 0

  function keep(streamId: string, message: JSONRPCMessage): string {
    number += 1
    const sizeBytes = Buffer.byteLength(JSON.stringify(message))
    kept.push({ number, streamId, message, sizeBytes })
    heldBytes += sizeBytes
    while (heldBytes > limitBytes && kept.length > 1) heldBytes -= kept.shift()?.sizeBytes ?? 0
    return String(number)
  }

  function placeOf(eventId: string): { readonly after: number; readonly streamId: string } | null {
    if (eventId === fromTheFirstWaiting) return { after: waitingAfter ?? number, streamId: unaskedStream }
    const event = kept.find((one) => String(one.number) === eventId)
    return event === undefined ? null : { after: event.number, streamId: event.streamId }
  }

  return {
    get waitingFrom() {
      const from = waitingAfter
      if (from === null) return null
      return kept.some((one) => one.streamId === unaskedStream && one.number > from) ? fromTheFirstWaiting : null
    },
    taken() {
      waitingAfter = null
    },
    left() {
      waitingAfter ??= number
    },
    async storeEvent(streamId, message) {
      return keep(streamId, message)
    },
    /** Unknown to it is also what was dropped: a client is told that it must begin anew, rather than miss something. */
    async getStreamIdForEventId(eventId) {
      return placeOf(eventId)?.streamId
    },
    async replayEventsAfter(lastEventId, { send }) {
      const place = placeOf(lastEventId)
      if (place === null) throw new Error(`event ${lastEventId} is not kept any more`)
      const { after, streamId } = place
      // What only gave a stream its first number has no message.
      for (const event of kept.filter((one) => one.streamId === streamId && one.number > after))
        if ('jsonrpc' in event.message) await send(String(event.number), event.message)
      return streamId
    },
  }
}
