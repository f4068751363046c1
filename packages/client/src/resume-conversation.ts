import type { ConversationSummary, MethodName, Overrides, ParamsOf, ResultOf } from '@parley/protocol'
import type { Client } from './client.ts'
import { connectOwner, type Introduced, type Owner, ownerIn } from './connect-owner.ts'

export interface ResumedConversation {
  /** Where the conversation lives: the client that asked, or a new connection to its owner. The caller closes it. */
  readonly client: Client
  readonly summary: ConversationSummary
  /** It lives in another process, and `client` is a connection of its own to that one. */
  readonly attached: boolean
}

/**
 * Resumes a conversation here, or joins it where it is live. Rejects with `liveElsewhere` when its owner cannot be
 * joined; the message says why, `data.reason` too, and what is left: a read-only view, or a fork.
 */
export async function resumeConversation(
  client: Client,
  params: ParamsOf<'conversation/resume'>,
): Promise<ResumedConversation> {
  try {
    return { client, summary: await client.request('conversation/resume', params), attached: false }
  } catch (error) {
    const owner = ownerIn(error)
    if (owner === null) throw error
    return await joinConversation(owner, client, params.overrides)
  }
}

/** Joins a conversation where it is live, introduced like `as`. Rejects as `resumeConversation` does. */
export async function joinConversation(
  owner: Owner,
  as: Introduced,
  overrides?: Overrides,
): Promise<ResumedConversation> {
  const joined = await connectOwner(owner, as)
  try {
    const { conversationId } = owner
    const summary = await joined.request('conversation/resume', {
      conversationId,
      ...(overrides === undefined ? {} : { overrides }),
    })
    return { client: joined, summary, attached: true }
  } catch (refused) {
    await joined.close()
    throw refused
  }
}

/** A request about a conversation, answered by its owner when it is live elsewhere. Nothing stays open there. */
export async function requestWhereItLives<Name extends MethodName>(
  client: Client,
  method: Name,
  params: ParamsOf<Name>,
): Promise<ResultOf<Name>> {
  try {
    return await client.request(method, params)
  } catch (error) {
    const owner = ownerIn(error)
    if (owner === null) throw error
    await using joined = await connectOwner(owner, client)
    return await joined.request(method, params)
  }
}
