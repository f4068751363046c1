import type { ConversationId, ResultOf, Settings } from '@parley/protocol'

/** Describes the handling of calls that no sandbox limits and no rule calls harmless. */
export function notKnownHarmless(approvalPolicy: Settings['approvalPolicy']): string {
  return `what is not known to be harmless ${approvalPolicy === 'never' ? 'is denied' : 'asks first'}`
}

/** Returns what enforces the limits where the conversation works, which may be another machine than the server's. */
export function enforcementReasonOf(
  conversationId: ConversationId,
  { conversations, enforcementReason }: ResultOf<'server/diagnostics'>,
): string {
  return conversations.find((open) => open.conversationId === conversationId)?.enforcementReason ?? enforcementReason
}
