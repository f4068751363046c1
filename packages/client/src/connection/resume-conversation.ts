import {
  type ConversationId,
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

/** A conversation opened by the client that asked, or joined by a new connection to its owner. */
export type ResumedConversation =
  | { readonly client: Client; readonly summary: ConversationSummary; readonly attached: false }
  | JoinedConversation

/** A conversation joined in its owner's process. The caller closes `client`, the connection to the owner. */
export interface JoinedConversation {
  readonly client: Client
  readonly summary: ConversationSummary
  readonly attached: true
  readonly owner: Owner
}

/**
 * Resumes a conversation on this server, or joins it in the process where it is live. Throws `liveElsewhere` with
 * `data.reason` if the owner cannot be joined.
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

/** Joins a conversation in its owner's process with the introduction of `as`. Throws `liveElsewhere`. */
export async function joinConversation(
  owner: Owner,
  as: Introduced,
  overrides?: Overrides,
): Promise<JoinedConversation> {
  const joined = await connectOwner(owner, as)
  try {
    const { conversationId } = owner
    const summary = await joined.request('conversation/resume', {
      conversationId,
      ...(overrides === undefined ? {} : { overrides }),
    })
    return { client: joined, summary, attached: true, owner }
  } catch (error) {
    await joined.close()
    throw error
  }
}

/** Sends a request, to the conversation's owner where it is live in another process; that connection is closed again. */
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

/** The process that has a conversation open, from the data of a `liveElsewhere` error. */
export interface Owner {
  readonly conversationId: ConversationId
  readonly pid: number | null
  readonly socket: string | null
}

/** A client with its introduction. */
type Introduced = Pick<Client, 'introduction'>

/** Causes of a failed join. `notListening`: the owner has no socket. */
type Reason = 'notListening' | 'unreachable' | 'refused' | 'protocolVersion'

/** Time for the handshake: the kernel accepts connections for a stopped process, a live one answers within milliseconds. */
const answerLimitMs = 3_000

/** Returns the owner named by a `liveElsewhere` error; null for any other error. */
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

/** Connects to the owner with the same introduction. Throws `liveElsewhere` with `data.reason`. */
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
