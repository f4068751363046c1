import type { Actor, ConversationEvent, ParamsOf, ResultOf } from '@parley/protocol'
import { compactionItem } from '../compaction/compaction-item.ts'
import { requestTokens } from '../compaction/when-due.ts'
import { readView } from '../conversation/log-fold.ts'
import { startedBefore } from '../conversation/request-replay.ts'
import { type LiveConversation, writable } from '../live/live-conversation.ts'
import { invalidParam, rejection } from '../replies/rejection.ts'

/**
 * Asks for a compaction: in a turn of its own, or at the next safe point of the open one. The same `requestKey` again
 * returns the first result.
 */
export function compact(
  open: LiveConversation,
  { instructions, requestKey }: Pick<ParamsOf<'conversation/compact'>, 'instructions' | 'requestKey'>,
  by: Actor,
): ResultOf<'conversation/compact'> {
  const { conversation, roles, turns } = writable(open)
  const known = startedBefore(conversation.state, requestKey)
  if (known !== null && known.turnId !== null) return { ...known, turnId: known.turnId }
  assertCompactable(open)
  const { turn } = conversation.state.core
  const turnId = turn?.id ?? roles.record.ids.turn()
  const what = instructions === undefined || instructions.trim() === '' ? {} : { instructions: instructions.trim() }
  const key = requestKey === undefined ? {} : { requestKey }
  const item = {
    ...compactionItem(roles.record.ids.item(), 'manual', requestTokens(conversation)),
    ...what,
    by,
    ...key,
  }
  const begin: ConversationEvent[] = turn === null ? [{ type: 'turn.started', turnId, trigger: 'compaction' }] : []
  const seq = conversation.recordAll([...begin, { type: 'item.started', turnId, item }]).at(-1)?.seq ?? 0
  turns.wake()
  return { turnId, itemId: item.id, seq }
}

function assertCompactable({ conversation }: LiveConversation): void {
  assertNoneOpen(conversation.state)
  if (conversation.view.request.isAnswered()) return
  throw rejection('invalidParams', 'There is nothing to compact yet: the model has not answered since the last time.')
}

function assertNoneOpen({ core }: LiveConversation['conversation']['state']): void {
  if (!Object.values(core.open).some(({ item }) => item.type === 'contextCompaction')) return
  throw rejection('invalidParams', 'A compaction is under way. Interrupt it first, or wait until it has ended.')
}

/** Undoes the newest compaction that holds; `wanted` names it by its seq. Rejects with the numbers when the conversation would not fit then. */
export async function undoCompaction(
  open: LiveConversation,
  wanted: number | undefined,
  by: Actor,
): Promise<ResultOf<'conversation/compact/undo'>> {
  const { conversation, roles } = writable(open)
  const last = conversation.state.core.compactions?.applied.at(-1)
  if (last !== undefined) await readView(conversation.view, { without: last.seq })
  const { core } = conversation.state
  assertNoneOpen(conversation.state)
  const newest = core.compactions?.applied.at(-1)
  if (newest === undefined)
    throw rejection('invalidParams', "Nothing is left out of the model's view, so there is nothing to undo.")
  if (wanted !== undefined && wanted !== newest.seq)
    throw invalidParam('seq', `The newest compaction is that of event ${newest.seq}, not ${wanted}.`)
  const tokens = requestTokens(conversation, { without: newest.seq })
  const { contextWindow } = roles.model.current().facts
  if (contextWindow !== null && tokens > contextWindow)
    throw rejection(
      'invalidParams',
      `The conversation would have about ${tokens.toLocaleString('en-US')} tokens, and the window of ${core.settings.model} has ${contextWindow.toLocaleString('en-US')}. Choose a model with a larger window first, or fork from before the compaction.`,
      { tokens, contextWindow },
    )
  const { seq } = conversation.record({ type: 'context.restored', seq: newest.seq, tokensAfter: tokens, by })
  return { seq, tokens }
}
