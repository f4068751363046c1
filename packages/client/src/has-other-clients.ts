import type { Client } from './client.ts'

/** A server that is asked and does not say has none. */
const answerLimitMs = 500

/** Whether others follow something on this server, which then goes on without us. */
export async function hasOtherClients(client: Client): Promise<boolean> {
  const expired = Promise.withResolvers<null>()
  const timer = setTimeout(expired.resolve, answerLimitMs, null)
  const asked = client.request('server/diagnostics', {}).catch(() => null)
  const diagnostics = await Promise.race([asked, expired.promise])
  clearTimeout(timer)
  const isShared = ({ conversationId, clients }: { conversationId: string; clients: number }) =>
    clients > (client.follows(conversationId) ? 1 : 0)
  return diagnostics?.conversations.some(isShared) ?? false
}
