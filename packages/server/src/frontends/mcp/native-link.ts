import { codeOf } from '@parley/client'
import type { ConversationStore } from '@parley/client/low-level'
import {
  type Client,
  connectClient,
  type Introduction,
  openConversationStore,
  resumeConversation,
} from '@parley/client/low-level'
import { createMemoryTransportPair } from '@parley/rpc'
import type { Engine } from '../../engine/engine.ts'
import { serveConnection } from '../conversation/connections.ts'

/** Opens a connection to the engine of this process in the native protocol. */
export type Connect = (who: Introduction) => Promise<Client>

export function connectorTo(engine: Engine): Connect {
  return (who) => {
    const [ours, theirs] = createMemoryTransportPair()
    void serveConnection(theirs, engine)
    return connectClient({ ...who, transport: ours })
  }
}

export interface Reached {
  /** The given connection, or a new one to the process where the conversation is live. */
  readonly client: Client
  readonly store: ConversationStore
}

/** Opens a conversation that is open here, on disk, or live in another process. The id may be a prefix. */
export async function reachConversation(client: Client, conversationId: string): Promise<Reached> {
  try {
    return { client, store: await openConversationStore(client, conversationId) }
  } catch (error) {
    if (codeOf(error) !== 'conversationNotFound') throw error
  }
  const { client: owner, summary, attached } = await resumeConversation(client, { conversationId })
  try {
    return { client: owner, store: await openConversationStore(owner, summary.conversationId) }
  } catch (error) {
    if (attached) await owner.close()
    throw error
  }
}
