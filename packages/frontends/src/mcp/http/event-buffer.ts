import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server'
import { notRead } from '../unread-limit.ts'

/** The SDK's id of the stream that a client's GET opens. */
const getStream = '_GET_stream'
/** Cursor that stands for everything since the last GET closed. Clients do not send it; this server adds it. */
const waitingCursor = 'waiting'

interface BufferedEvent {
  readonly number: number
  readonly streamId: string
  readonly message: JSONRPCMessage
  readonly sizeBytes: number
}

export interface EventBuffer extends EventStore {
  /** Cursor for a GET without one, when messages have waited for it; null when no message waits. */
  readonly waitingFrom: string | null
  /** Records that a GET is open; from now on the client names its own cursor. */
  opened(): void
  /** Records that the GET has closed; messages wait from now on. */
  closed(): void
}

/**
 * Keeps the messages sent to one client over HTTP, so that a broken or late stream continues where the last one ended.
 */
export function createEventBuffer(limitBytes = 32 << 20): EventBuffer {
  const kept: BufferedEvent[] = []
  let heldBytes = 0
  let number = 0
  /** Number after which messages wait for a GET; null while one is open. */
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
    if (eventId === waitingCursor) return { after: waitingAfter ?? number, streamId: getStream }
    const event = kept.find((one) => String(one.number) === eventId)
    return event === undefined ? null : { after: event.number, streamId: event.streamId }
  }

  return {
    get waitingFrom() {
      const from = waitingAfter
      if (from === null) return null
      return kept.some((one) => one.streamId === getStream && one.number > from) ? waitingCursor : null
    },
    opened() {
      waitingAfter = null
    },
    closed() {
      waitingAfter ??= number
    },
    async storeEvent(streamId, message) {
      return keep(streamId, message)
    },
    /** Returns undefined for a dropped event too, so that the client starts anew instead of missing messages. */
    async getStreamIdForEventId(eventId) {
      return placeOf(eventId)?.streamId
    },
    async replayEventsAfter(lastEventId, { send }) {
      const place = placeOf(lastEventId)
      if (place === null) throw new Error(`event ${lastEventId} is not kept any more`)
      const { after, streamId } = place
      // Events that only number a new stream have no message.
      for (const event of kept.filter((one) => one.streamId === streamId && one.number > after))
        if ('jsonrpc' in event.message) await send(String(event.number), event.message)
      return streamId
    },
  }
}

/**
 * Copies the response's body, to count unread bytes, and cancels it as soon as the connection of the request has ended.
 * Otherwise only the next write would notice the end, and until then the client's new stream would be rejected. More
 * than `limitBytes` that are unread break the stream off.
 */
export function holdResponse(
  response: Response,
  { closed, limitBytes }: { readonly closed: Promise<void>; readonly limitBytes: number },
): { readonly response: Response; readonly unreadBytes: () => number } {
  const { body, status, headers } = response
  if (body === null) return { response, unreadBytes: () => 0 }
  const reader = body.getReader()
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  let unreadBytes = 0
  const release = () => reader.cancel().catch(() => undefined)
  void closed.then(release)
  const take = async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const { value } = next
      unreadBytes += value.length
      const passed = () => {
        unreadBytes -= value.length
      }
      // Not awaited: a slow client is counted, and must not hold up the rest.
      writer.write(value).then(passed, passed)
      if (unreadBytes > limitBytes) throw new Error(notRead)
    }
    await writer.close()
  }
  take().catch((error: unknown) => Promise.all([writer.abort(error).catch(() => undefined), release()]))
  return { response: new Response(readable, { status, headers }), unreadBytes: () => unreadBytes }
}
