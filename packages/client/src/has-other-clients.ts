import type { Client } from './client.ts'
import { withinLimit } from './within-limit.ts'

/** A server that is asked and does not say has none. */
const answerLimit = { limitMs: 500, expired: () => new Error('no answer') }

/** Whether others follow something on this server, which then goes on without us. */
export async function hasOtherClients(client: Client): Promise<boolean> {
  const asked = client.request('server/diagnostics', {})
  const diagnostics = await withinLimit(asked, answerLimit).catch(() => null)
  const isShared = ({ conversationId, clients }: { conversationId: string; clients: number }) =>
    clients > (client.follows(conversationId) ? 1 : 0)
  return diagnostics?.conversations.some(isShared) ?? false
}
