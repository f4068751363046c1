import type { ConversationId, ServerNotice } from '@parley/protocol'
import type { Transport } from '@parley/rpc'
import { type Client, connectClient, type Introduction } from '../connection/client.ts'
import { ClientError, closedHere, isTaken } from '../connection/errors.ts'
import { reachServer, type ServerAccess } from '../connection/reach-server.ts'
import { withinLimit } from '../connection/within-limit.ts'
import type { ReachedServer } from './lasting-client.ts'

/** Time for a connection and its handshake; a machine that is down does not answer at all. */
const answerLimitMs = 4_000
/** Interval of signs of life. A connection ends after three missing ones: by then a server has lost its lease. */
const beatMs = 2_000

export interface ConnectionsOptions extends ServerAccess {
  readonly introduction: Introduction
  /** Called when the server of a connection has lost a conversation to another server. */
  readonly onTaken: (conversationId: ConversationId, client: Client) => void
}

/** Connections to the servers of a team, one to each address. */
export interface TeamConnections {
  /** Resolves to the connection to an address. Makes it first where needed, through another server if the address cannot be reached. */
  to(address: string, through?: string): Promise<ReachedServer>
  close(): Promise<void>
}

export function openConnections({ introduction, onTaken, ...access }: ConnectionsOptions): TeamConnections {
  const open = new Map<string, Promise<ReachedServer>>()
  const over = new AbortController()

  async function connect(address: string, through: string | undefined): Promise<ReachedServer> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(silent(address)), answerLimitMs)
    const signal = AbortSignal.any([late.signal, over.signal])
    const transport = await reachServer(address, access, { beatMs, signal, through }).finally(() => clearTimeout(timer))
    return { client: await greet(transport, address), address }
  }

  async function greet(transport: Transport, address: string): Promise<Client> {
    const onNotice = (notice: ServerNotice) => {
      if (isTaken(notice)) void greeting.then((client) => onTaken(notice.conversationId, client))
      else introduction.callbacks?.onNotice?.(notice)
    }
    const callbacks = { ...introduction.callbacks, onNotice }
    const greeting = connectClient({ ...introduction, callbacks, transport })
    try {
      const expired = () => silent(address)
      return await withinLimit(greeting, { limitMs: answerLimitMs, expired, signal: over.signal })
    } catch (error) {
      await transport.close()
      throw error
    }
  }

  /** Forgets a connection that failed or ended, so that the next request for it makes another. */
  function keep(address: string, through: string | undefined): Promise<ReachedServer> {
    const made = connect(address, through)
    const forget = () => {
      if (open.get(address) === made) open.delete(address)
    }
    open.set(address, made)
    made.then(({ client }) => client.closed.then(forget), forget)
    return made
  }

  return {
    to(address, through) {
      if (over.signal.aborted) return Promise.reject(over.signal.reason)
      return open.get(address) ?? keep(address, through)
    },
    async close() {
      // Attempts are aborted: an address that does not answer would delay the close.
      over.abort(closedHere())
      const all = [...open.values()].map((made) => made.then(({ client }) => client.close()))
      await Promise.allSettled(all)
    },
  }
}

function silent(address: string): ClientError {
  return new ClientError('serverUnreachable', `${address} does not answer`)
}
