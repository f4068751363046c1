import type { Session } from './session.ts'

/** Others come and go without an event; nobody needs to know it sooner. */
const everyMs = 10_000

/** Says how many windows a conversation has, now and then, until it is disposed of. */
export function countClients(session: Session, onCount: (clients: number) => void): Disposable {
  const count = async () => {
    const { conversations } = await session.client.request('server/diagnostics', {})
    const { conversationId } = session.summary
    onCount(conversations.find((open) => open.conversationId === conversationId)?.clients ?? 1)
  }
  // A lost connection is noticed elsewhere, and the next count is soon.
  const tryToCount = () => void count().catch(() => undefined)
  tryToCount()
  const timer = setInterval(tryToCount, everyMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
