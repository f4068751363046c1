import {
  type ConversationSummary,
  type MethodName,
  type Overrides,
  type ParamsOf,
  type ResultOf,
  wireErrors,
} from '@parley/protocol'
import { ConnectError, connectSocket, RpcError, type Transport } from '@parley/rpc'
import { type Client, connectClient } from './client.ts'
import { withinLimit } from './within-limit.ts'

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

/** The process that has a conversation open, as `liveElsewhere` names it. */
export interface Owner {
  readonly conversationId: string
  readonly pid: number | null
  readonly socket: string | null
}

/** Whoever has said who they are. */
type Introduced = Pick<Client, 'introduction'>

/** `notListening`: it has no socket. The others say how joining it failed. */
type Reason = 'notListening' | 'unreachable' | 'refused' | 'protocolVersion'

/** The system lets us in at the socket of a process that is stopped or hangs; a live one greets within milliseconds. */
const answerLimitMs = 3_000

/** Null when an error is about anything else. */
function ownerIn(error: unknown): Owner | null {
  if (!(error instanceof RpcError) || error.data?.code !== 'liveElsewhere') return null
  const { conversationId, pid, socket } = error.data
  if (typeof conversationId !== 'string') return null
  return {
    conversationId,
    pid: typeof pid === 'number' ? pid : null,
    socket: typeof socket === 'string' ? socket : null,
  }
}

/** A connection to a conversation's owner, introduced like the one that asked. Rejects with `liveElsewhere` and a reason. */
async function connectOwner(owner: Owner, { introduction }: Introduced): Promise<Client> {
  if (owner.socket === null) throw liveElsewhere(owner, 'notListening', 'It cannot be joined: it does not listen.')
  try {
    const transport = await connectSocket(owner.socket)
    const greeting = connectClient({ ...introduction, transport })
    const expired = () => liveElsewhere(owner, 'unreachable', 'It cannot be joined: it does not answer.')
    return await withinLimit(greeting, { limitMs: answerLimitMs, expired }).catch(hangUp(transport))
  } catch (error) {
    throw whyNot(owner, error)
  }
}

function hangUp(transport: Transport): (error: unknown) => Promise<never> {
  return async (error) => {
    await transport.close()
    throw error
  }
}

function whyNot(owner: Owner, error: unknown): unknown {
  if (error instanceof ConnectError) {
    const reason = error.reason === 'refused' ? 'refused' : 'unreachable'
    return liveElsewhere(owner, reason, `It cannot be joined: ${error.message}.`)
  }
  if (!(error instanceof RpcError)) return error
  const code = error.data?.code
  if (code === 'liveElsewhere') return error
  // The server's sentence names both versions and says which side to update.
  if (code === 'protocolVersion') return liveElsewhere(owner, 'protocolVersion', error.message)
  if (code === 'connectionClosed') return liveElsewhere(owner, 'unreachable', 'It cannot be joined: it hung up.')
  return liveElsewhere(owner, 'refused', `It cannot be joined: ${error.message}`)
}

function liveElsewhere(owner: Owner, reason: Reason, why: string): RpcError {
  const { conversationId, pid } = owner
  const where = pid === null ? 'another process' : `process ${pid}`
  const message = `Conversation ${conversationId.slice(-8)} is open in ${where}. ${why} View it read-only, or fork it.`
  return new RpcError(wireErrors.liveElsewhere, message, { ...owner, reason, code: 'liveElsewhere' })
}
