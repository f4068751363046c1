import type { Actor, ParamsOf, ResultOf } from '@parley/protocol'
import { requestTokens } from '../compaction/when-due.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { readView } from '../conversation/log-fold.ts'
import { noticeItem } from '../conversation/notices.ts'
import { isFree, type RequestPiece } from '../core/view/request-pieces.ts'
import { type LiveConversation, writable } from '../live/live-conversation.ts'
import { turnStart } from '../messages/user-messages.ts'
import { itemIdsOf, wordsOf } from '../model-calls/refusal.ts'
import { invalidParam, rejection } from '../replies/rejection.ts'

type Params = ParamsOf<'conversation/context/leaveOut'>
type Result = ResultOf<'conversation/context/leaveOut'>

/**
 * Leaves parts out of the model's view that the provider refused, and goes on in a turn without a message. The same
 * `requestKey` again does nothing more and returns the first turn.
 */
export async function leaveOut(open: LiveConversation, params: Params, by: Actor): Promise<Result> {
  const { conversation, roles, turns } = writable(open)
  const known = turnOf(conversation, params.requestKey)
  if (known !== null) return known
  await readView(conversation.view)
  assertIdle(conversation)
  const chosen = chosenPieces(conversation, params)
  const seqs = chosen.map(({ seq }) => seq)
  const itemIds = itemIdsOf(chosen, conversation.state)
  const tokensBefore = requestTokens(conversation)
  const gone = new Set(seqs)
  const saved = conversation.view.request
    .blocks()
    .reduce((sum, { seq, tokens }) => sum + (gone.has(seq) ? tokens : 0), 0)
  const turnId = roles.record.ids.turn()
  const title = `Left out, because the provider refused it: ${wordsOf(chosen)}. \`/repair undo\` brings it back.`
  const item = noticeItem(roles.record.ids.item(), { level: 'info', code: 'leftOut', title })
  const key = params.requestKey === undefined ? {} : { requestKey: params.requestKey }
  const recorded = conversation.recordAll([
    { type: 'turn.started', turnId, trigger: 'message', ...turnStart(params, roles.act.limits), ...key },
    {
      type: 'context.cleared',
      ...{ turnId, itemId: item.id, itemIds, tokensBefore, trigger: 'manual', why: 'refused', seqs, by },
      tokensAfter: Math.max(0, tokensBefore - saved),
    },
    { type: 'item.completed', turnId, item },
  ])
  turns.wake()
  return { turnId, seq: recorded[1]?.seq ?? 0, itemIds }
}

function turnOf({ state }: Conversation, requestKey: Params['requestKey']): Result | null {
  const known = state.core.requestKeys.find(({ key }) => key === requestKey)
  if (requestKey === undefined || known === undefined) return null
  if (known.turnId !== null && known.disposition === 'continued')
    return { turnId: known.turnId, seq: known.seq, itemIds: [] }
  throw invalidParam('requestKey', 'This key was that of another kind of request.')
}

function assertIdle({ state }: Conversation): void {
  if (state.core.turn === null) return
  throw rejection('invalidParams', 'A turn is open. Interrupt it first, or wait until it has ended.')
}

const notRefused = 'Nothing is left out: the last turn did not end because the provider refused the conversation.'

/** Returns the pieces to leave out: the requested items, else the items of the refusal, else the newest half. */
function chosenPieces(conversation: Conversation, { itemIds, half }: Params): readonly RequestPiece[] {
  const refused = conversation.state.core.lastTurn?.failure?.refused
  if (itemIds === undefined && refused === undefined) throw invalidParam(half === true ? 'half' : 'itemIds', notRefused)
  const free = conversation.view.request.pieces(conversation.sideFiles).filter(isFree)
  const asked = new Set(itemIds)
  const named = new Set(itemIds === undefined ? refused?.seqs : [])
  const chosen = free.filter(
    (piece) => named.has(piece.seq) || itemIdsOf([piece], conversation.state).some((id) => asked.has(id)),
  )
  if (chosen.length > 0) return chosen
  if (free.length === 0) throw rejection('invalidParams', 'There is nothing that could be left out.')
  if (half === true && itemIds === undefined) return free.slice(Math.floor(free.length / 2))
  const text =
    itemIds === undefined
      ? 'No provider has named what it refuses. With `half`, the newest half is left out.'
      : 'None of these items is in what the model is told.'
  throw invalidParam('itemIds', text)
}
