import { setTimeout as pause } from 'node:timers/promises'
import type { ConversationId, ConversationSummary, ParamsOf } from '@parley/protocol'
import { ConnectError, RpcError } from '@parley/rpc'
import { type Client, type Introduction, watcher } from '../connection/client.ts'
import { ClientError, codeOf, isElsewhere } from '../connection/errors.ts'
import { assertSecure, type ServerAccess } from '../connection/reach-server.ts'
import { ownerIn } from '../connection/resume-conversation.ts'
import {
  areRejections,
  type FailedAttempts,
  failedConnection,
  failureClause,
  failuresText,
  isRejection,
} from './failed-attempts.ts'
import { type ConnectAttempt, LastingClient, type ReachedServer } from './lasting-client.ts'
import { serversAfter } from './server-order.ts'
import { openConnections, type TeamConnections } from './team-connections.ts'

export interface TeamOptions extends ServerAccess {
  /** Addresses of servers that share a store: `wss://HOST:PORT`. */
  readonly addresses: readonly string[]
  readonly introduction: Introduction
}

/** A conversation that was opened on some server of the team. */
export interface TeamConversation extends ReachedServer {
  readonly summary: ConversationSummary
  /** True if a server other than the one that was asked had it open. */
  readonly attached: boolean
}

/** Servers that share conversations. Any of them serves any conversation; the conversations of a dead server go on at another. */
export interface Team extends AsyncDisposable {
  /** Client of the server that answers now. */
  readonly home: LastingClient
  /** Opens a conversation at the server that has it, or else at the server of `home`. */
  open(params: ParamsOf<'conversation/resume'>): Promise<TeamConversation>
  /** Returns the client of a conversation, which follows it from server to server. */
  clientFor(opened: TeamConversation): LastingClient
  /** Connects to the same servers as a client that may change nothing. */
  asWatcher(): Promise<Team>
}

/** Rounds over all servers before the client gives up after a loss; with the pauses about two minutes. */
const mostRounds = 40
/** Attempts to open a conversation for the first time, while connections are lost and made again. */
const firstTries = 4

/**
 * Connects to the first server of a list that answers. Rejects with `serverUnreachable` when all fail, `accessEnded`
 * when all reject the token, and once `attempt` is aborted.
 */
export async function openTeam(options: TeamOptions, attempt?: AbortSignal): Promise<Team> {
  const { addresses, introduction } = options
  for (const address of addresses) assertSecure(address, options)
  const clients = new Map<ConversationId, LastingClient>()
  const onTaken = (id: ConversationId, client: Client) => clients.get(id)?.abandon(client)
  const connections = openConnections({ ...options, onTaken })
  const first = await connectFirst(addresses, connections, attempt).catch(async (error: unknown) => {
    await connections.close()
    throw error
  })
  const home = new LastingClient({
    introduction,
    first,
    reach(lost, tell, signal) {
      const [conversationId] = clients.keys()
      const inOrder = serversAfter(addresses, { address: lost, conversationId })
      return reconnect(inOrder, connections, { lost, tell, signal })
    },
  })

  async function openOnce(params: ParamsOf<'conversation/resume'>): Promise<TeamConversation> {
    const asked = await home.reached()
    try {
      return { ...asked, summary: await asked.client.request('conversation/resume', params), attached: false }
    } catch (error) {
      const owner = ownerIn(error)
      if (owner?.address === undefined) throw error
      const { conversationId } = owner
      const there = await connections.to(owner.address, asked.address)
      const overrides = params.overrides === undefined ? {} : { overrides: params.overrides }
      const summary = await there.client.request('conversation/resume', { conversationId, ...overrides })
      return { ...there, summary, attached: true }
    }
  }

  /** Repeats the attempt while servers come and go. */
  async function open(
    params: ParamsOf<'conversation/resume'>,
    { tries, mayPass, signal }: RetryRule,
  ): Promise<TeamConversation> {
    const pauses = pausesOf(signal)
    for (let left = tries; ; left--) {
      signal?.throwIfAborted()
      try {
        return await openOnce(params)
      } catch (error) {
        if (left <= 1 || home.failure !== null || !mayPass(error)) throw error
      }
      await pauses.next()
    }
  }

  return {
    home,
    open: (params) => open(params, { tries: firstTries, mayPass: isPassing }),
    clientFor({ client, address, summary: { conversationId } }) {
      const lasting = new LastingClient({
        introduction,
        first: { client, address },
        async reach(_lost, tell, signal) {
          using _following = followHome(home, tell)
          // Awaited, so that the state of `home` is passed on until then.
          return await open({ conversationId }, { tries: mostRounds, mayPass: mayOpenLater, signal })
        },
        isMoved: (error) => isElsewhere(codeOf(error), error instanceof RpcError ? error.data?.['errno'] : null),
      })
      clients.set(conversationId, lasting)
      void lasting.closed.then(() => {
        if (clients.get(conversationId) === lasting) clients.delete(conversationId)
      })
      return lasting
    },
    asWatcher: () => openTeam({ ...options, introduction: watcher(introduction) }),
    async [Symbol.asyncDispose]() {
      await Promise.all([...clients.values(), home].map((client) => client.close()))
      await connections.close()
    },
  }
}

interface RetryRule {
  readonly tries: number
  /** Returns true for a rejection that may pass. */
  readonly mayPass: (error: unknown) => boolean
  readonly signal?: AbortSignal
}

/** Reports the server that `home` tries, from now on until disposal. */
function followHome(home: LastingClient, tell: (attempt: ConnectAttempt) => void): Disposable {
  const tellNow = () => {
    const { link } = home
    if (link.kind === 'up') tell({ trying: link.address })
    if (link.kind === 'lost') tell(attemptOf(link))
  }
  tellNow()
  const stop = home.onLink(tellNow)
  return { [Symbol.dispose]: () => void stop() }
}

async function connectFirst(
  addresses: readonly string[],
  connections: TeamConnections,
  attempt: AbortSignal | undefined,
): Promise<ReachedServer> {
  const stop = () => void connections.close()
  attempt?.addEventListener('abort', stop, { once: true })
  try {
    const found = await tryEach(addresses, connections, () => attempt?.throwIfAborted())
    if ('client' in found) return found
    throw failedConnection(found)
  } finally {
    attempt?.removeEventListener('abort', stop)
  }
}

/** Tries each address once. Resolves to the first connection, or to the failures. Rejects where all reject the token. */
async function tryEach(
  addresses: readonly string[],
  connections: TeamConnections,
  begin: (address: string) => void,
): Promise<ReachedServer | FailedAttempts> {
  const failures = new Map<string, unknown>()
  for (const address of addresses) {
    begin(address)
    try {
      return await connections.to(address)
    } catch (error) {
      failures.set(address, error)
    }
  }
  if (areRejections(failures)) throw failedConnection(failures)
  return failures
}

function attemptOf({ trying, isRejected, why }: ConnectAttempt): ConnectAttempt {
  return { trying, ...(isRejected === undefined ? {} : { isRejected }), ...(why === undefined ? {} : { why }) }
}

/** Returns the attempt at an address, with the failures of the previous round. */
function attemptAt(trying: string, lost: string, failures: FailedAttempts): ConnectAttempt {
  const why = failureClause(failures.get(trying))
  return {
    trying,
    ...(isRejection(failures.get(lost)) ? { isRejected: true } : {}),
    ...(why === null ? {} : { why }),
  }
}

async function reconnect(
  addresses: readonly string[],
  connections: TeamConnections,
  { lost, tell, signal }: { lost: string; tell: (attempt: ConnectAttempt) => void; signal: AbortSignal },
): Promise<ReachedServer> {
  const pauses = pausesOf(signal)
  let failures: FailedAttempts = new Map()
  for (let round = 0; round < mostRounds; round++) {
    const found = await tryEach(addresses, connections, (address) => {
      signal.throwIfAborted()
      tell(attemptAt(address, lost, failures))
    })
    if ('client' in found) return found
    failures = found
    await pauses.next()
  }
  const text = `The connection was lost, and no server answers any more (${failuresText(failures)}). What was shown is saved: connect and resume.`
  throw new ClientError('connectionClosed', text)
}

/** Codes of rejections that may pass: a server or the store is being replaced. */
const passingCodes: ReadonlySet<string> = new Set([
  'serverFailed',
  'serverUnreachable',
  'connectionClosed',
  'serverOverloaded',
  'storageFailed',
  'liveElsewhere',
])

function isPassing(error: unknown): boolean {
  return error instanceof ConnectError || passingCodes.has(codeOf(error) ?? '')
}

/** Returns true for a rejection of a followed conversation that may pass. A client that only reads waits until another client has it open. */
function mayOpenLater(error: unknown): boolean {
  return isPassing(error) || codeOf(error) === 'notPermitted'
}

const firstPauseMs = 100
const longestPauseMs = 5_000

/** Returns pauses between attempts, each twice as long as the previous one, up to 5 s. After an abort it returns no further pause. */
function pausesOf(signal: AbortSignal | undefined) {
  let delayMs = firstPauseMs
  return {
    async next(): Promise<void> {
      const now = delayMs
      delayMs = Math.min(2 * delayMs, longestPauseMs)
      await pause(now, undefined, signal === undefined ? {} : { signal }).catch(() => undefined)
    },
  }
}
