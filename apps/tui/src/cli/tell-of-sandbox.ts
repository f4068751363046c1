import type { Client } from '@parley/client'
import type { ConversationSummary } from '@parley/protocol'

/** One line about a sandbox that does not hold all of its limits, with what is missing for that; null for one that does. */
export async function tellOfSandbox(
  client: Pick<Client, 'request'>,
  { settings, conversationId, readOnly }: Pick<ConversationSummary, 'settings' | 'conversationId' | 'readOnly'>,
): Promise<string | null> {
  const { tier, sandbox, approvalPolicy } = settings
  if (readOnly || sandbox === 'danger-full-access' || (tier !== 'B' && tier !== 'C')) return null
  const { conversations, tierReason } = await client.request('server/diagnostics', {})
  const reason = conversations.find((open) => open.conversationId === conversationId)?.tierReason ?? tierReason
  const otherwise = approvalPolicy === 'never' ? 'is refused' : 'asks first'
  return `${enforced[tier]}: what is not known to be harmless ${otherwise}. ${reason}`
}

const enforced = { B: 'The sandbox is only partial here', C: 'There is no sandbox here' } as const
