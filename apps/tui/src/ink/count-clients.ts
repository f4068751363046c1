import type { EventOf } from '@parley/protocol'
import type { Session } from './session.ts'

/** Others come and go without an event; nobody needs to know it sooner. */
const everyMs = 10_000
/** With these something happens, and who is there matters. */
const occasions: ReadonlySet<string> = new Set<EventOf<'turn.started' | 'turn.ended' | 'approval.decided'>['type']>([
  'turn.started',
  'turn.ended',
  'approval.decided',
])

/** Says how many windows a conversation has, now and then, until it is disposed of. */
export function countClients(session: Session, onCount: (clients: number) => void): Disposable {
  const { client, summary, store } = session
  const count = async () => {
    const { conversations } = await client.request('server/diagnostics', {})
    onCount(conversations.find(({ conversationId }) => conversationId === summary.conversationId)?.clients ?? 1)
  }
  // A lost connection is noticed elsewhere, and the next count is soon.
  const tryToCount = () => void count().catch(() => undefined)
  tryToCount()
  const timer = setInterval(tryToCount, everyMs).unref()
  const unsubscribe = store.subscribe((envelope) => {
    if (envelope !== null && occasions.has(envelope.event.type)) tryToCount()
  })
  return {
    [Symbol.dispose]() {
      unsubscribe()
      clearInterval(timer)
    },
  }
}
