import { codeOf } from '@parley/client'
import {
  type Client,
  type ConversationStore,
  type Introduction,
  openConversationStore,
  resumeConversation,
} from '@parley/client/low-level'
import type { ConversationId } from '@parley/protocol'

/** Opens a connection in the native protocol to the server of this process. */
export type Connect = (who: Introduction) => Promise<Client>

export interface Reached {
  /** The given connection, or a new one to the process where the conversation is live. */
  readonly client: Client
  readonly store: ConversationStore
}

/** Opens a conversation that is open here, on disk, or live in another process. The id may be a prefix. */
export async function reachConversation(client: Client, conversationId: ConversationId): Promise<Reached> {
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
