import type { Parley } from '@parley/client'
import type { ConversationSummary } from '@parley/protocol'

/** Resolves to a sentence about a sandbox that does not enforce all limits, with the reason; null otherwise. */
export async function sandboxNotice(
  connection: Pick<Parley, 'request'>,
  { settings, conversationId, readOnly }: Pick<ConversationSummary, 'settings' | 'conversationId' | 'readOnly'>,
): Promise<string | null> {
  const { enforcement, sandbox, approvalPolicy } = settings
  if (readOnly || sandbox === 'danger-full-access' || enforcement === 'full') return null
  const { conversations, enforcementReason } = await connection.request('server/diagnostics', {})
  const reason =
    conversations.find((open) => open.conversationId === conversationId)?.enforcementReason ?? enforcementReason
  const otherwise = approvalPolicy === 'never' ? 'is denied' : 'asks first'
  return `${enforced[enforcement]}: what is not known to be harmless ${otherwise}. ${reason}`
}

const enforced = { partial: 'The sandbox is only partial here', none: 'There is no sandbox here' } as const
