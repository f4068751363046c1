import type { ConversationEvent, Item } from '@parley/protocol'
import { type RedactedStream, splitUnfinished } from '@parley/redaction'
import { type Coalescer, createCoalescer } from '../conversation/coalescer.ts'
import { unlessStorageFails } from '../conversation/storage-patience.ts'
import type { Run } from './turn-context.ts'

export type SpokenType = 'agentMessage' | 'reasoning'

interface SpokenPart {
  readonly itemId: string
  readonly type: SpokenType
  readonly deltas: Coalescer
  /** What they go through: a secret may be cut in two. */
  readonly redacted: RedactedStream
  /** All that was sent. Not each delta by itself: a long answer has a hundred thousand. */
  text: string
}

/** What the model says in one response: each part of it an item, its text in coalesced deltas. */
export interface SpokenParts {
  push(part: string, type: SpokenType, text: string): void
  /** Its whole text is known. A message stays open until the response is whole: a cut one is to be void. */
  finish(part: string, type: SpokenType, text: string): void
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

export function createSpokenParts({ conversation, bench }: Run, turnId: string): SpokenParts {
  const parts = new Map<string, SpokenPart>()

  function open(part: string, type: SpokenType, text: string): SpokenPart {
    const itemId = bench.ids.item()
    const redacted = bench.redaction.stream()
    const deltas = createCoalescer(bench.clock, (delta) => tell(opened, redacted.push(delta)))
    const opened: SpokenPart = { itemId, type, deltas, redacted, text: bench.redaction.text(text) }
    conversation.record({ type: 'item.started', turnId, item: spokenItem(itemId, type, 'inProgress', opened.text) })
    parts.set(part, opened)
    return opened
  }

  function tell(spoken: SpokenPart, text: string): void {
    if (text === '') return
    spoken.text += text
    unlessStorageFails(() => conversation.record({ type: 'item.delta', itemId: spoken.itemId, text }))
  }

  /** After this no more of it may come: what is at its end is told as it is. */
  function end(spoken: SpokenPart): void {
    spoken.deltas.flush()
    tell(spoken, spoken.redacted.end())
  }

  function close({ itemId, type, text }: SpokenPart): ConversationEvent {
    return { type: 'item.completed', turnId, item: spokenItem(itemId, type, 'completed', text) }
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
      spoken.text = bench.redaction.text(text)
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

function spokenItem(id: string, type: SpokenType, status: Item['status'], text: string): Item {
  return { id, type, status, title: type === 'reasoning' ? 'Reasoning' : 'Answer', text }
}
