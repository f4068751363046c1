import type { DecisionRecord } from '@parley/protocol'
import type { LiveConversation } from '../open/live-conversation.ts'
import { isCallItem } from './is-call-item.ts'

/** Who answered an approval that is no longer pending, and what; of one from long ago or another process, its call tells. */
export function whoAnswered(
  { conversation, clients }: LiveConversation,
  approvalId: string,
): { readonly who: string; readonly decision: string } | null {
  const known = clients.answerTo(approvalId) ?? recorded(conversation.state, approvalId)
  if (known?.by === undefined || known.decision === undefined) return null
  return { who: known.by.title ?? known.by.name, decision: known.decision }
}

function recorded({ core, window }: LiveConversation['conversation']['state'], approvalId: string) {
  const approval = core.approvals[approvalId]
  if (approval !== undefined) return approval
  const items = [...Object.values(core.open), ...window].map(({ item }) => item)
  const decisions = items.flatMap((item): DecisionRecord[] =>
    isCallItem(item) && item.decision?.approvalId === approvalId ? [item.decision] : [],
  )
  return decisions.map(({ by, answer: decision }) => ({ by, decision }))[0]
}
