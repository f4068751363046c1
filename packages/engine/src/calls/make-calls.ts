import type { EventOf, MessageCall } from '@parley/protocol'
import { checkMessage } from '../core/turn-ends/turn-checks.ts'
import { userMessageItem } from '../messages/user-messages.ts'
import { type ProposalContext, proposeCall } from './propose-call.ts'

/** Adapter of a response that no model gave. */
const noAdapter = 'none'

/** Records the calls of a message as a response of the model, so that all that holds for its calls holds for them. */
export function makeCalls(context: ProposalContext, wanted: readonly MessageCall[]): void {
  const {
    record: { conversation },
  } = context
  const turnId = conversation.state.core.turn?.id
  if (turnId === undefined) return
  const calls = wanted.map(({ name, arguments: text }): EventOf<'model.responded'>['calls'][number] =>
    proposeCall(context, turnId, (itemId) => ({ callId: itemId, name, arguments: text })),
  )
  conversation.record({ type: 'model.responded', turnId, adapter: noAdapter, parts: [], text: '', calls })
}

/** Records the message whose calls are the checks of the turn. */
export function beginChecks({ record: { conversation, ids } }: ProposalContext): void {
  const { turn } = conversation.state.core
  if (turn?.checks === undefined) return
  const { text, calls } = checkMessage(turn.checks, (turn.checked?.times ?? 0) + 1)
  const item = userMessageItem(ids.item(), { content: [{ type: 'text', text }], calls, ofChecks: true })
  conversation.record({ type: 'item.completed', turnId: turn.id, item })
}
