import type { ConversationEvent, Item } from '@parley/protocol'
import { type Coalescer, createCoalescer } from './coalescer.ts'
import type { Run } from './run.ts'
import { unlessStorageFails } from './storage-patience.ts'

export type SpokenType = 'agentMessage' | 'reasoning'

interface SpokenPart {
  readonly itemId: string
  readonly type: SpokenType
  readonly deltas: Coalescer
  /** All that was sent. Not each delta by itself: a long answer has a hundred thousand. */
  text: string
}

/** What the model says in one response: each part of it an item, its text in coalesced deltas. */
export interface SpokenParts {
  push(part: string, type: SpokenType, text: string): void
  /** Its whole text is known. A message stays open until the response is whole: a cut one is to be void. */
  finish(part: string, type: SpokenType, text: string): void
  flush(): void
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
    const deltas = createCoalescer(bench.clock, (delta) => {
      opened.text += delta
      unlessStorageFails(() => conversation.record({ type: 'item.delta', itemId, text: delta }))
    })
    const opened: SpokenPart = { itemId, type, deltas, text }
    conversation.record({ type: 'item.started', turnId, item: spokenItem(itemId, type, 'inProgress', text) })
    parts.set(part, opened)
    return opened
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
      spoken.deltas.flush()
      spoken.text = text
      if (type === 'agentMessage') return
      conversation.record(close(spoken))
      parts.delete(part)
    },
    flush() {
      for (const { deltas } of parts.values()) deltas.flush()
    },
    stop() {
      for (const spoken of parts.values()) spoken.text += spoken.deltas.stop()
    },
    closingEvents: () => [...parts.values()].map(close),
    messageText: () =>
      [...parts.values()].flatMap(({ type, text }) => (type === 'agentMessage' ? [text] : [])).join('\n\n'),
  }
}

function spokenItem(id: string, type: SpokenType, status: Item['status'], text: string): Item {
  return { id, type, status, title: type === 'reasoning' ? 'Reasoning' : 'Answer', text }
}
