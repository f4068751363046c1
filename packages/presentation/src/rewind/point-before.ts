import type { CompletedItem, ParamsOf, ResultOf } from '@parley/protocol'

/** Events read at most to find the start of a turn; they lie between two items. */
const maxEvents = 1_000

/** Requests that find a point of a conversation. */
export interface PointReads {
  read(page: Pick<ParamsOf<'conversation/read'>, 'before' | 'limit'>): Promise<ResultOf<'conversation/read'>>
  readEvents(
    range: Pick<ParamsOf<'conversation/readEvents'>, 'after' | 'limit'>,
  ): Promise<ResultOf<'conversation/readEvents'>>
}

/** Finds the last event before a message of the user, or before the turn that it began; null for the first. */
export async function pointBefore(reads: PointReads, message: MessagePlace): Promise<number | null> {
  const { items } = await reads.read({ before: message.seq, limit: 1 })
  const after = { seq: items.at(-1)?.seq ?? 0 }
  const { events } = await reads.readEvents({ after, limit: maxEvents })
  const began = events
    .map(startOfTurn)
    .find((start) => start !== null && start.turnId === message.turnId && start.seq < message.seq)
  const point = (began?.seq ?? message.seq) - 1
  return point > 0 ? point : null
}

/** Reads an envelope; null unless a turn begins in it. */
export function startOfTurn(envelope: unknown): { readonly seq: number; readonly turnId: string } | null {
  if (typeof envelope !== 'object' || envelope === null || !('seq' in envelope && 'event' in envelope)) return null
  const { seq, event } = envelope
  if (typeof seq !== 'number' || typeof event !== 'object' || event === null) return null
  if (!('type' in event && event.type === 'turn.started' && 'turnId' in event)) return null
  return typeof event.turnId === 'string' ? { seq, turnId: event.turnId } : null
}

export type MessagePlace = Pick<CompletedItem, 'seq' | 'turnId'>
