import { type ApprovalId, allRights } from '@parley/protocol'
import type { HookDenial } from '../hooks/conversation-hooks.ts'
import type { LiveConversation } from '../live/live-conversation.ts'
import { decideApproval } from './decide-approval.ts'

/** Returns a function that denies an approval in the name of a hook, unless the approval was answered. */
export function denyByHook(live: LiveConversation) {
  return (approvalId: ApprovalId, { hook, reason }: HookDenial): void => {
    const { conversation } = live
    if (conversation.state.core.approvals[approvalId]?.state !== 'pending') return
    const actor = { clientId: 'server', name: `hook ${hook}` }
    const note = `the hook "${hook}" denies this: ${reason}`
    const answer = { conversationId: conversation.id, approvalId, decision: 'denied' as const, note }
    const client = { actor, mayLoosen: false, access: 'full', rights: allRights } as const
    decideApproval(live, { ...answer, unattended: true }, client)
  }
}
