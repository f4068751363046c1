import {
  type ConversationId,
  type ConversationSummary,
  type MethodName,
  type Overrides,
  type ParamsOf,
  type ResultOf,
  shortIdOf,
  wireErrors,
} from '@parley/protocol'
import { ConnectError, connectSocket, RpcError, type Transport } from '@parley/rpc'
import { type Client, connectClient, type Introduction } from './client.ts'
import { addressIn, ClientError } from './errors.ts'
import { reachServer } from './reach-server.ts'
import { withinLimit } from './within-limit.ts'

/** A conversation opened by the client that sent the request, or joined by a new connection to its owner. */
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

/**
 * Joins a conversation in its owner's process, with the introduction of `as`. Throws `liveElsewhere`, also where `as`
 * is safe and the owner was started without `--safe`.
 */
export async function joinConversation(
  owner: Owner,
  as: IntroducedClient,
  overrides?: Overrides,
): Promise<JoinedConversation> {
  const joined = await connectOwner(owner, as)
  try {
    // Plug-ins, hooks and servers of the owner would take part in a conversation that was started without them.
    if (as.isSafe === true && !joined.isSafe)
      throw liveElsewhere(owner, 'notSafe', 'It was started without --safe, so it is not joined from here.')
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

/** Sends a request. Where the conversation is live in another process, sends it there, over a connection of its own. */
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
  /** Websocket address of the owner on another machine, which shares a store with this server. */
  readonly address?: string
}

/** Client that introduces itself to an owner; `isSafe` where it joins only conversations of safe servers. */
type IntroducedClient = Pick<Client, 'introduction'> & Partial<Pick<Client, 'isSafe'>>

/** Causes of a failed join. `notListening`: the owner has no socket. */
type JoinFailure = 'notSafe' | 'notListening' | 'unreachable' | 'refused' | 'protocolVersion'

/** Time for the handshake: the kernel accepts connections for a stopped process, a running one answers within milliseconds. */
const answerLimitMs = 3_000

/** Returns the owner named by a `liveElsewhere` error; null for any other error. */
export function ownerIn(error: unknown): Owner | null {
  if (!(error instanceof RpcError) || error.data?.code !== 'liveElsewhere') return null
  const { conversationId, pid, socket } = error.data
  if (typeof conversationId !== 'string') return null
  const address = addressIn(error)
  return {
    conversationId,
    pid: typeof pid === 'number' ? pid : null,
    socket: typeof socket === 'string' ? socket : null,
    ...(address === null ? {} : { address }),
  }
}

/** Connects to the owner with the same introduction. Throws `liveElsewhere` with `data.reason`. */
async function connectOwner(owner: Owner, { introduction }: IntroducedClient): Promise<Client> {
  try {
    const transport = await transportTo(owner, introduction)
    const greeting = connectClient({ ...introduction, transport })
    const expired = () => liveElsewhere(owner, 'unreachable', 'It cannot be joined: it does not answer.')
    return await withinLimit(greeting, { limitMs: answerLimitMs, expired }).catch(async (error: unknown) => {
      await transport.close()
      throw error
    })
  } catch (error) {
    throw joinError(owner, error)
  }
}

/** Reaches the owner: on this machine by its socket, elsewhere by its address with the means of the first connection. */
async function transportTo(owner: Owner, { reach }: Introduction): Promise<Transport> {
  const { socket, address } = owner
  if (socket !== null) return connectSocket(socket)
  if (address === undefined) throw liveElsewhere(owner, 'notListening', 'It cannot be joined: it does not listen.')
  if (reach?.token === undefined)
    throw liveElsewhere(owner, 'notListening', `It cannot be joined from here: connect to ${address}.`)
  return await reachServer(address, reach, { through: reach.through })
}

function joinError(owner: Owner, error: unknown): unknown {
  if (error instanceof ConnectError) {
    const reason = error.reason === 'refused' ? 'refused' : 'unreachable'
    return liveElsewhere(owner, reason, `It cannot be joined: ${error.message}.`)
  }
  if (error instanceof ClientError) return liveElsewhere(owner, 'unreachable', `It cannot be joined: ${error.message}`)
  if (!(error instanceof RpcError)) return error
  const code = error.data?.code
  if (code === 'liveElsewhere') return error
  // The server's sentence names both versions and says which side to update.
  if (code === 'protocolVersion') return liveElsewhere(owner, 'protocolVersion', error.message)
  if (code === 'connectionClosed') return liveElsewhere(owner, 'unreachable', 'It cannot be joined: it hung up.')
  return liveElsewhere(owner, 'refused', `It cannot be joined: ${error.message}`)
}

function liveElsewhere(owner: Owner, reason: JoinFailure, why: string): RpcError {
  const { conversationId, pid } = owner
  const isFar = pid === null && owner.address !== undefined
  const where = isFar ? 'another server' : pid === null ? 'another process' : `process ${pid}`
  const message = `Conversation ${shortIdOf(conversationId)} is open in ${where}. ${why} View it read-only, or fork it.`
  return new RpcError(wireErrors.liveElsewhere, message, { ...owner, reason, code: 'liveElsewhere' })
}
