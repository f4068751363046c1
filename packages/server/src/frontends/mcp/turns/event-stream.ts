import type { Client } from '@parley/client/low-level'
import type { Envelope, Item } from '@parley/protocol'
import { type EventMsg, isDelta, isStreamed } from '../../../codex-events/event-msg.ts'
import { emptyMemory, entryOf, type Memory } from '../../../codex-events/memory.ts'
import { shortened } from '../../../codex-events/shorten.ts'
import { translate } from '../../../codex-events/translate.ts'

interface StreamSink {
  /** Receives all events before the call, once. */
  initialState(events: readonly { readonly msg: EventMsg }[]): void
  live(message: EventMsg): void
  /** Receives an event, and the item that an approval is about. */
  event(envelope: Envelope, item: Item | null): void
}

export interface EventStream {
  /** Ends delivery at once. */
  stop(): void
}

interface StreamOptions {
  /** Connection of the stream's own, closed with the stream. */
  readonly client: Client
  readonly conversationId: string
  /** Number of the last event of the initial state. */
  readonly upToSeq: number
  readonly sink: StreamSink
}

/** Characters of the initial state, above which long texts are shortened, since clients give up on lines of 10 MB. */
const wholeLength = 4 << 20

/**
 * Plays the log from its first event. Events up to `upToSeq` are the initial state and later ones are live, so that
 * each is delivered once and in order.
 */
export function streamEvents({ client, conversationId, upToSeq, sink }: StreamOptions): EventStream {
  const before: { readonly msg: EventMsg }[] = []
  let beforeLength = 0
  let memory: Memory = emptyMemory
  let isLive = false
  let stopped = false

  function goLive(): void {
    isLive = true
    sink.initialState(before.splice(0))
  }

  function keep(message: EventMsg): void {
    const msg = beforeLength > wholeLength ? shortened(message) : message
    beforeLength += JSON.stringify(msg).length
    before.push({ msg })
  }

  function itemOf({ event }: Envelope): Item | null {
    return event.type === 'approval.requested' ? (entryOf(memory, event.approval.itemId)?.item ?? null) : null
  }

  function take(envelope: Envelope): void {
    if (stopped) return
    // In a damaged log the number `upToSeq` may be missing.
    if (!isLive && envelope.seq > upToSeq) goLive()
    const { memory: next, messages } = translate(memory, envelope)
    memory = next
    for (const message of messages.filter(isStreamed)) {
      if (isLive) sink.live(message)
      else if (!isDelta(message)) keep(message)
    }
    if (isLive) sink.event(envelope, itemOf(envelope))
    else if (envelope.seq === upToSeq) goLive()
  }

  client.onEvent(conversationId, take)
  if (upToSeq === 0) goLive()
  const played = client.request('conversation/stream', { conversationId, after: { seq: 0, crc: null } })
  // The connection has closed, which ends the stream.
  played.catch(() => undefined)
  return {
    stop() {
      stopped = true
      void client.close()
    },
  }
}
