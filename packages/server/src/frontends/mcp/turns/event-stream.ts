import type { Client } from '@parley/client'
import type { Envelope, Item } from '@parley/protocol'
import { type EventMsg, isDelta, isStreamed } from '../../../codex-events/event-msg.ts'
import { emptyMemory, entryOf, type Memory } from '../../../codex-events/memory.ts'
import { shortened } from '../../../codex-events/shorten.ts'
import { translate } from '../../../codex-events/translate.ts'

export interface StreamSink {
  /** Everything up to the moment of the call, once. */
  initialState(events: readonly { readonly msg: EventMsg }[]): void
  live(message: EventMsg): void
  /** `item`: the one that an approval is about. */
  event(envelope: Envelope, item: Item | null): void
}

export interface EventStream {
  /** Nothing is delivered after the call. */
  stop(): void
}

interface StreamOptions {
  /** A connection of its own, on which the conversation is open; it is closed with the stream. */
  readonly client: Client
  readonly conversationId: string
  /** The last event that belongs to the initial state. */
  readonly upToSeq: number
  readonly sink: StreamSink
}

/** Characters of the initial state up to which output and diffs are whole: clients give up on a line of 10 MB. */
const wholeLength = 4 << 20

/**
 * Plays the whole log from its first event on. What is numbered up to a point is the initial state and what comes after
 * is live, so each event is delivered once and none before the state, whatever happens meanwhile.
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
    // The number before the first live one may be missing in a damaged log.
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
  // The connection is gone, and with it the stream.
  played.catch(() => undefined)
  return {
    stop() {
      stopped = true
      void client.close()
    },
  }
}
