import type { ConversationId } from '@parley/protocol'
import type { Client } from '../connection/client.ts'
import { codeOf } from '../connection/errors.ts'
import { resumeConversation } from '../connection/resume-conversation.ts'
import { type ConversationStore, openConversationStore } from './conversation-store.ts'

export interface ReachedConversation {
  /** The given connection, or a new one to the process where the conversation is live. */
  readonly client: Client
  readonly store: ConversationStore
}

/** Opens a conversation that is open here, on disk, or live in another process. The id may be a prefix. */
export async function reachConversation(client: Client, conversationId: ConversationId): Promise<ReachedConversation> {
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
