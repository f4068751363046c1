import type { ConversationId, Envelope } from '@parley/protocol'
import type { Client } from '../connection/client.ts'

/** Listeners that move from one connection to the next. */
export interface CarriedListeners
  extends Pick<Client, 'onEvent' | 'onClients' | 'onAccessEnded' | 'onListChanged' | 'follows'> {
  /** Listens on this connection from now on, and no longer on the one before. */
  moveTo(client: Client): void
  close(): void
}

interface CarriedListener {
  readonly conversationId: ConversationId | null
  readonly begin: (client: Client) => () => void
  end: () => void
}

export function carryListeners(): CarriedListeners {
  const all = new Set<CarriedListener>()
  let client: Client | null = null

  function add(conversationId: ConversationId | null, begin: CarriedListener['begin']): () => void {
    const carried = { conversationId, begin, end: client === null ? () => undefined : begin(client) }
    all.add(carried)
    return () => {
      all.delete(carried)
      carried.end()
    }
  }

  function close(): void {
    for (const { end } of all) end()
    client = null
  }

  return {
    onEvent: (id, listener: (envelope: Envelope) => void) => add(id, (now) => now.onEvent(id, listener)),
    onClients: (id, listener) => add(id, (now) => now.onClients(id, listener)),
    onAccessEnded: (id, listener) => add(id, (now) => now.onAccessEnded(id, listener)),
    onListChanged: (listener) => add(null, (now) => now.onListChanged(listener)),
    follows: (id) => [...all].some(({ conversationId }) => conversationId === id),
    moveTo(next) {
      close()
      client = next
      for (const carried of all) carried.end = carried.begin(next)
    },
    close,
  }
}
