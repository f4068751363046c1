import { wireErrors } from '@parley/protocol'
import { ConnectError, connectSocket, RpcError, type Transport } from '@parley/rpc'
import { type Client, connectClient } from './client.ts'
import { withinLimit } from './within-limit.ts'

/** The process that has a conversation open, as `liveElsewhere` names it. */
export interface Owner {
  readonly conversationId: string
  readonly pid: number | null
  readonly socket: string | null
}

/** Whoever has said who they are. */
export type Introduced = Pick<Client, 'introduction'>

/** `notListening`: it has no socket. The others say how joining it failed. */
type Reason = 'notListening' | 'unreachable' | 'refused' | 'protocolVersion'

/** The system lets us in at the socket of a process that is stopped or hangs; a live one greets within milliseconds. */
const answerLimitMs = 3_000

/** Null when an error is about anything else. */
export function ownerIn(error: unknown): Owner | null {
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
export async function connectOwner(owner: Owner, { introduction }: Introduced): Promise<Client> {
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
