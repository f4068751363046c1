import type { ConversationEvent, Item, ItemId, TurnId } from '@parley/protocol'
import { type RedactedStream, splitUnfinished } from '@parley/redaction'
import { type Coalescer, createCoalescer } from '../conversation/coalescer.ts'
import { unlessStorageFails } from '../conversation/storage-patience.ts'
import type { TurnContext } from './turn-context.ts'

type StreamedType = 'agentMessage' | 'reasoning'

interface StreamingItem {
  readonly itemId: ItemId
  readonly type: StreamedType
  readonly deltas: Coalescer
  /** Redacts the deltas; a secret may be cut between two of them. */
  readonly redacted: RedactedStream
  /** Text sent so far. Kept here because a long response has a hundred thousand deltas. */
  text: string
}

/** Streams the text of one response: an item per part, with coalesced deltas. */
export interface StreamingItems {
  push(part: string, type: StreamedType, text: string): void
  /** Sets the whole text of a part. A message stays open until the response is complete: a cut one is discarded. */
  finish(part: string, type: StreamedType, text: string): void
  flush(): void
  /** Records the received text without an end that may be half a secret. */
  keep(): void
  /** Stops recording. */
  stop(): void
  /** Returns the events that close the open parts, in order. */
  closingEvents(): ConversationEvent[]
  /** Returns the text of the messages, joined. */
  messageText(): string
}

export function createStreamingItems({ conversation, modules }: TurnContext, turnId: TurnId): StreamingItems {
  const parts = new Map<string, StreamingItem>()

  function open(part: string, type: StreamedType, text: string): StreamingItem {
    const itemId = modules.ids.item()
    const redacted = modules.redaction.stream()
    const deltas = createCoalescer(modules.clock, (delta) => tell(opened, redacted.push(delta)))
    const opened: StreamingItem = { itemId, type, deltas, redacted, text: modules.redaction.text(text) }
    conversation.record({ type: 'item.started', turnId, item: streamedItem(itemId, type, 'inProgress', opened.text) })
    parts.set(part, opened)
    return opened
  }

  function tell(spoken: StreamingItem, text: string): void {
    if (text === '') return
    spoken.text += text
    unlessStorageFails(() => conversation.record({ type: 'item.delta', itemId: spoken.itemId, text }))
  }

  /** Ends the deltas of a part; its end is recorded as it is. */
  function end(spoken: StreamingItem): void {
    spoken.deltas.flush()
    tell(spoken, spoken.redacted.end())
  }

  function close({ itemId, type, text }: StreamingItem): ConversationEvent {
    return { type: 'item.completed', turnId, item: streamedItem(itemId, type, 'completed', text) }
  }

  return {
    push(part, type, text) {
      if (text === '') return
      const spoken = parts.get(part) ?? open(part, type, '')
      spoken.deltas.push(text)
    },
    finish(part, type, text) {
      if (!parts.has(part) && text === '') return
      const spoken = parts.get(part) ?? open(part, type, text)
      end(spoken)
      spoken.text = modules.redaction.text(text)
      if (type === 'agentMessage') return
      conversation.record(close(spoken))
      parts.delete(part)
    },
    flush() {
      for (const { deltas } of parts.values()) deltas.flush()
    },
    keep() {
      for (const spoken of parts.values()) {
        spoken.deltas.flush()
        tell(spoken, splitUnfinished(spoken.redacted.end()).shown)
      }
    },
    stop() {
      for (const spoken of parts.values())
        spoken.text += spoken.redacted.push(spoken.deltas.stop()) + spoken.redacted.end()
    },
    closingEvents: () => [...parts.values()].map(close),
    messageText: () =>
      [...parts.values()].flatMap(({ type, text }) => (type === 'agentMessage' ? [text] : [])).join('\n\n'),
  }
}

function streamedItem(id: ItemId, type: StreamedType, status: Item['status'], text: string): Item {
  return { id, type, status, title: type === 'reasoning' ? 'Reasoning' : 'Answer', text }
}
