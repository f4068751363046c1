import type { ConversationEvent, Item, ItemId, TurnId } from '@parley/protocol'
import { type RedactedStream, splitUnfinished } from '@parley/redaction'
import {
  type Coalescer,
  createCoalescer,
  createDeltaWriter,
  type DeltaWriter,
  recordSign,
} from '../conversation/deltas.ts'
import type { RecordRole } from '../roles/roles.ts'
import type { PictureMessage } from './made-picture.ts'

export type StreamedType = 'agentMessage' | 'reasoning' | 'rawReasoning'

interface StreamingItem {
  readonly itemId: ItemId
  /** Kind of the part, as far as it is known. */
  type: StreamedType
  /** True where a message of the same response came before it. */
  continues: boolean
  /** Picture that the part is, with a text about it. */
  readonly images: PartBeginning['images']
  readonly deltas: Coalescer
  /** Redacts the deltas; a secret may be cut between two of them. */
  readonly redacted: RedactedStream
  readonly write: DeltaWriter
  /** Text sent so far. Kept here because a long response has a hundred thousand deltas. */
  text: string
}

/** Beginning of a part: a text so far, or all that is said about a picture. */
interface PartBeginning {
  readonly text: string
  readonly images?: PictureMessage['images'] | undefined
}

/** Streams the text of one response: an item per part, with coalesced deltas. */
export interface StreamingItems {
  push(part: string, type: StreamedType, text: string): void
  /** Shows a picture, a message of its own. */
  show(part: string, picture: PictureMessage): void
  /**
   * Sets the whole text and the type of a part. A message stays open until the response is complete: a cut one is
   * discarded.
   */
  finish(part: string, type: StreamedType, text: string): void
  flush(): void
  /** Says of an open message from time to time that the answer goes on: arguments are not streamed. */
  goesOn(): void
  /** Records the received text without an end that may be half a secret. */
  keep(): void
  /** Stops recording. */
  stop(): void
  /** Returns the events that close the open parts, in order. */
  closingEvents(): ConversationEvent[]
  /** Returns the text of the messages, joined. */
  messageText(): string
}

/** Interval of the signs that an answer goes on. */
const signIntervalMs = 5_000

export function createStreamingItems(
  { conversation, clock, ids, redaction }: RecordRole,
  turnId: TurnId,
): StreamingItems {
  const parts = new Map<string, StreamingItem>()
  let signMs = clock.elapsed()

  function open(part: string, type: StreamedType, { text, images }: PartBeginning): StreamingItem {
    const itemId = ids.item()
    const redacted = redaction.stream()
    const write = createDeltaWriter(conversation, itemId)
    const deltas = createCoalescer(clock, (delta) => recordDelta(opened, redacted.push(delta)))
    const continues = [...parts.values()].some(isMessage)
    const shown = redaction.text(text)
    const opened: StreamingItem = { itemId, type, continues, images, deltas, redacted, write, text: shown }
    conversation.record({ type: 'item.started', turnId, item: streamedItem(opened, 'inProgress') })
    parts.set(part, opened)
    return opened
  }

  function recordDelta(item: StreamingItem, text: string): boolean {
    item.text += text
    return item.write(text)
  }

  /** Ends the deltas of a part; its end is recorded as it is. */
  function end(item: StreamingItem): void {
    item.deltas.flush()
    item.deltas.stop()
    recordDelta(item, item.redacted.end())
  }

  function close(item: StreamingItem): ConversationEvent {
    return { type: 'item.completed', turnId, item: streamedItem(item, 'completed') }
  }

  return {
    push(part, type, text) {
      if (text === '') return
      const item = parts.get(part) ?? open(part, type, { text: '' })
      item.deltas.push(text)
    },
    show: (part, picture) => void open(part, 'agentMessage', picture),
    finish(part, type, text) {
      if (!parts.has(part) && text === '') return
      const item = parts.get(part) ?? open(part, type, { text })
      end(item)
      item.type = type
      item.text = redaction.text(text)
      if (type === 'agentMessage') return
      conversation.record(close(item))
      parts.delete(part)
    },
    flush() {
      for (const { deltas } of parts.values()) deltas.flush()
    },
    goesOn() {
      const message = [...parts.values()].findLast(({ type }) => type === 'agentMessage')
      if (message === undefined || clock.elapsed() - signMs < signIntervalMs) return
      signMs = clock.elapsed()
      recordSign(conversation, message.itemId)
    },
    keep() {
      for (const item of parts.values()) {
        item.deltas.flush()
        recordDelta(item, splitUnfinished(item.redacted.end()).shown)
      }
    },
    stop() {
      for (const item of parts.values()) item.text += item.redacted.push(item.deltas.stop()) + item.redacted.end()
    },
    closingEvents() {
      const items = [...parts.values()]
      const first = items.find(isMessage)
      return items.map((item) => close({ ...item, continues: item !== first }))
    },
    messageText: () =>
      [...parts.values()].flatMap(({ type, text }) => (type === 'agentMessage' ? [text] : [])).join('\n\n'),
  }
}

function isMessage({ type }: StreamingItem): boolean {
  return type === 'agentMessage'
}

function streamedItem({ itemId: id, type, text, images, continues }: StreamingItem, status: Item['status']): Item {
  if (type === 'agentMessage') {
    const shown = images === undefined ? { title: 'Answer', text } : { title: 'Picture', text, images }
    return { id, type, status, ...shown, ...(continues ? { continues: true } : {}) }
  }
  const raw = type === 'rawReasoning' ? ({ raw: true } as const) : {}
  return { id, type: 'reasoning', status, title: 'Reasoning', text, ...raw }
}
