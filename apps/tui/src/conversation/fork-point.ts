import type { Conversation, Parley } from '@parley/client'
import { type PointReads, startOfTurn } from '@parley/presentation/rewind/point-before'
import type { ConversationId } from '@parley/protocol'

/** Reads by requests about an open conversation. */
export function pointReads(conversation: Pick<Conversation, 'request'>): PointReads {
  return {
    read: (page) => conversation.request('conversation/read', page),
    readEvents: (range) => conversation.request('conversation/readEvents', range),
  }
}

/** Point before a message of the user, to which files go back or up to which talk is copied. */
export interface Point {
  /** Seq of the last event before it. */
  readonly seq: number
  /** Time of the message in ms since the epoch. */
  readonly at: number
  readonly text: string
}

export interface Points {
  /** Points before the user's messages, oldest first. */
  readonly before: readonly Point[]
  /** Seq of the newest event. */
  readonly newest: number
}

export async function listPoints(parley: Pick<Parley, 'request'>, conversationId: ConversationId): Promise<Points> {
  const points: Point[] = []
  let began: { readonly seq: number; readonly turnId: string } | null = null
  for (let after = 0; ; ) {
    const { events, more } = await parley.request('conversation/readEvents', { conversationId, after: { seq: after } })
    for (const envelope of events) {
      began = startOfTurn(envelope) ?? began
      const message = messageIn(envelope)
      if (message !== null) points.push({ ...message, seq: (began?.seq ?? message.seq) - 1 })
      if (message !== null) began = null
      after = seqOf(envelope) ?? after
    }
    if (!more) return { before: points, newest: after }
  }
}

/** Finds the seq of the newest event: a few lie behind the newest item. */
export async function newestEvent(parley: Pick<Parley, 'request'>, conversationId: ConversationId): Promise<number> {
  const { items } = await parley.request('conversation/read', { conversationId, limit: 1 })
  for (let after = items.at(-1)?.seq ?? 0; ; ) {
    const { events, more } = await parley.request('conversation/readEvents', { conversationId, after: { seq: after } })
    after = seqOf(events.at(-1)) ?? after
    if (!more) return after
  }
}

function seqOf(envelope: unknown): number | null {
  if (typeof envelope !== 'object' || envelope === null || !('seq' in envelope)) return null
  return typeof envelope.seq === 'number' ? envelope.seq : null
}

/** Reads an envelope; null unless it completes a message of the user. */
function messageIn(envelope: unknown): Point | null {
  const seq = seqOf(envelope)
  if (seq === null || typeof envelope !== 'object' || envelope === null) return null
  if (!('event' in envelope && 'at' in envelope) || typeof envelope.at !== 'number') return null
  const { event, at } = envelope
  if (typeof event !== 'object' || event === null || !('item' in event)) return null
  const { item } = event
  if (typeof item !== 'object' || item === null || !('type' in item && 'text' in item)) return null
  return item.type === 'userMessage' && typeof item.text === 'string' ? { seq, at, text: item.text } : null
}
