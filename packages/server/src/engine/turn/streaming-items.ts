import type { ConversationEvent, Item } from '@parley/protocol'
import { type RedactedStream, splitUnfinished } from '@parley/redaction'
import { type Coalescer, createCoalescer } from '../conversation/coalescer.ts'
import { unlessStorageFails } from '../conversation/storage-patience.ts'
import type { TurnContext } from './turn-context.ts'

type StreamedType = 'agentMessage' | 'reasoning'

interface StreamingItem {
  readonly itemId: string
  readonly type: StreamedType
  readonly deltas: Coalescer
  /** What they go through: a secret may be cut in two. */
  readonly redacted: RedactedStream
  /** All that was sent. Not each delta by itself: a long answer has a hundred thousand. */
  text: string
}

/** What the model says in one response: each part of it an item, its text in coalesced deltas. */
export interface StreamingItems {
  push(part: string, type: StreamedType, text: string): void
  /** Its whole text is known. A message stays open until the response is whole: a cut one is to be void. */
  finish(part: string, type: StreamedType, text: string): void
  flush(): void
  /** What has come is told, but for what may be half a secret: no more will come. */
  keep(): void
  /** Nothing more is recorded. */
  stop(): void
  /** What closes the parts that are open, in their order. */
  closingEvents(): ConversationEvent[]
  /** The messages, joined. */
  messageText(): string
}

export function createStreamingItems({ conversation, modules }: TurnContext, turnId: string): StreamingItems {
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

  /** After this no more of it may come: what is at its end is told as it is. */
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

function streamedItem(id: string, type: StreamedType, status: Item['status'], text: string): Item {
  return { id, type, status, title: type === 'reasoning' ? 'Reasoning' : 'Answer', text }
}
