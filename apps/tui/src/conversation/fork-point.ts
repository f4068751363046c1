import type { Conversation } from '@parley/client'
import type { ItemId } from '@parley/protocol'

/** Events read at most to find the start of a turn; they lie between two items. */
const maxEvents = 1_000

/**
 * Finds the last event before a message of the user: before the turn that it began, else right before it. Null if it is the
 * first of the conversation, or no longer in its state.
 */
export async function pointBefore(
  conversation: Pick<Conversation, 'state' | 'request'>,
  itemId: ItemId,
): Promise<number | null> {
  const { state } = conversation
  const index = state.window.findIndex(({ item }) => item.id === itemId)
  const message = state.window[index]
  if (message === undefined) return null
  const after = { seq: state.window[index - 1]?.seq ?? 0 }
  const { events } = await conversation.request('conversation/readEvents', { after, limit: maxEvents })
  const began = events
    .map(startOfTurn)
    .find((start) => start !== null && start.turnId === message.turnId && start.seq < message.seq)
  const point = (began?.seq ?? message.seq) - 1
  return point > 0 ? point : null
}

/** Reads an envelope; null unless a turn begins in it. */
function startOfTurn(envelope: unknown): { readonly seq: number; readonly turnId: string } | null {
  if (typeof envelope !== 'object' || envelope === null || !('seq' in envelope && 'event' in envelope)) return null
  const { seq, event } = envelope
  if (typeof seq !== 'number' || typeof event !== 'object' || event === null) return null
  if (!('type' in event && event.type === 'turn.started' && 'turnId' in event)) return null
  return typeof event.turnId === 'string' ? { seq, turnId: event.turnId } : null
}
