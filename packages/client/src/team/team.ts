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
  isRejection,
  reasonOf,
  wordsOf,
} from './failed-attempts.ts'
import { type Attempt, LastingClient, type Reached } from './lasting-client.ts'
import { serversAfter } from './server-order.ts'
import { openConnections, type TeamConnections } from './team-connections.ts'

export interface TeamOptions extends ServerAccess {
  /** Addresses of servers that share a store: `wss://HOST:PORT`. */
  readonly addresses: readonly string[]
  readonly introduction: Introduction
}

/** A conversation that was opened on some server of the team. */
export interface OpenedThere extends Reached {
  readonly summary: ConversationSummary
  /** True if a server other than the one that was asked had it open. */
  readonly attached: boolean
}

/** Servers that share conversations. Any of them serves any conversation; what a dead one had goes on at another. */
export interface Team extends AsyncDisposable {
  /** Client of whichever server answers. */
  readonly home: LastingClient
  /** Opens a conversation at the server that has it, or else at the one that is asked. */
  open(params: ParamsOf<'conversation/resume'>): Promise<OpenedThere>
  /** Returns the client of a conversation, which follows it from server to server. */
  wayTo(opened: OpenedThere): LastingClient
  /** Connects to the same servers as one who may change nothing. */
  asWatcher(): Promise<Team>
}

/** Rounds over all servers before a lost connection is given up, with pauses about two minutes. */
const mostRounds = 40
/** Tries to open a conversation for the first time, while the connection to a server is lost and found. */
const firstTries = 4

/** Connects to the first server of a list that answers. Rejects with `serverUnreachable` when none does, `accessEnded` when all reject the token, and once `attempt` is aborted. */
export async function openTeam(options: TeamOptions, attempt?: AbortSignal): Promise<Team> {
  const { addresses, introduction } = options
  for (const address of addresses) assertSecure(address, options)
  const ways = new Map<ConversationId, LastingClient>()
  const onTaken = (id: ConversationId, client: Client) => ways.get(id)?.abandon(client)
  const connections = openConnections({ ...options, onTaken })
  const first = await firstOf(addresses, connections, attempt).catch(async (error: unknown) => {
    await connections.close()
    throw error
  })
  const home = new LastingClient({
    introduction,
    first,
    reach(lost, tell, signal) {
      const [conversationId] = ways.keys()
      const inOrder = serversAfter(addresses, { address: lost, conversationId })
      return nextOf(inOrder, connections, { lost, tell, signal })
    },
  })

  async function openOnce(params: ParamsOf<'conversation/resume'>): Promise<OpenedThere> {
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

  /** Tries again while servers come and go. */
  async function open(params: ParamsOf<'conversation/resume'>, { tries, passes, signal }: Tries): Promise<OpenedThere> {
    const pauses = pausesOf(signal)
    for (let left = tries; ; left--) {
      signal?.throwIfAborted()
      try {
        return await openOnce(params)
      } catch (error) {
        if (left <= 1 || home.failure !== null || !passes(error)) throw error
      }
      await pauses.next()
    }
  }

  return {
    home,
    open: (params) => open(params, { tries: firstTries, passes: mayPass }),
    wayTo({ client, address, summary: { conversationId } }) {
      const way = new LastingClient({
        introduction,
        first: { client, address },
        async reach(_lost, tell, signal) {
          using _following = followHome(home, tell)
          // Awaited: it is followed until then.
          return await open({ conversationId }, { tries: mostRounds, passes: mayOpenLater, signal })
        },
        isMoved: (error) => isElsewhere(codeOf(error), error instanceof RpcError ? error.data?.['errno'] : null),
      })
      ways.set(conversationId, way)
      void way.closed.then(() => {
        if (ways.get(conversationId) === way) ways.delete(conversationId)
      })
      return way
    },
    asWatcher: () => openTeam({ ...options, introduction: watcher(introduction) }),
    async [Symbol.asyncDispose]() {
      await Promise.all([...ways.values(), home].map((client) => client.close()))
      await connections.close()
    },
  }
}

interface Tries {
  readonly tries: number
  /** Tells if a rejection may be another one later. */
  readonly passes: (error: unknown) => boolean
  readonly signal?: AbortSignal
}

/** Tells which server is tried, from now on until disposal. */
function followHome(home: LastingClient, tell: (attempt: Attempt) => void): Disposable {
  const told = () => {
    const { link } = home
    if (link.kind === 'up') tell({ trying: link.address })
    if (link.kind === 'lost') tell(attemptOf(link))
  }
  told()
  const stop = home.onLink(told)
  return { [Symbol.dispose]: () => void stop() }
}

async function firstOf(
  addresses: readonly string[],
  connections: TeamConnections,
  attempt: AbortSignal | undefined,
): Promise<Reached> {
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
): Promise<Reached | FailedAttempts> {
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

function attemptOf({ trying, isRejected, why }: Attempt): Attempt {
  return { trying, ...(isRejected === undefined ? {} : { isRejected }), ...(why === undefined ? {} : { why }) }
}

/** Returns the attempt at an address, after those of the round before. */
function attemptAt(trying: string, lost: string, failures: FailedAttempts): Attempt {
  const why = reasonOf(failures.get(trying))
  return {
    trying,
    ...(isRejection(failures.get(lost)) ? { isRejected: true } : {}),
    ...(why === null ? {} : { why }),
  }
}

interface Trying {
  readonly lost: string
  readonly tell: (attempt: Attempt) => void
  readonly signal: AbortSignal
}

async function nextOf(
  addresses: readonly string[],
  connections: TeamConnections,
  { lost, tell, signal }: Trying,
): Promise<Reached> {
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
  const text = `The connection was lost, and no server answers any more (${wordsOf(failures)}). What was shown is saved: connect and resume.`
  throw new ClientError('connectionClosed', text)
}

/** Codes of rejections that may be others a moment later: a server or the store is being replaced. */
const passing: ReadonlySet<string> = new Set([
  'serverFailed',
  'serverUnreachable',
  'connectionClosed',
  'serverOverloaded',
  'storageFailed',
  'liveElsewhere',
])

function mayPass(error: unknown): boolean {
  return error instanceof ConnectError || passing.has(codeOf(error) ?? '')
}

/** Tells if a rejection of a conversation that was followed may be another later: who only reads waits until others have it open. */
function mayOpenLater(error: unknown): boolean {
  return mayPass(error) || codeOf(error) === 'notPermitted'
}

const firstPauseMs = 100
const longestPauseMs = 5_000

/** Pauses between attempts, each twice as long as the one before up to 5 s. */
interface Pauses {
  /** Resolves after the next pause, or at once when the signal aborts. */
  next(): Promise<void>
}

function pausesOf(signal: AbortSignal | undefined): Pauses {
  let delayMs = firstPauseMs
  return {
    async next() {
      const now = delayMs
      delayMs = Math.min(2 * delayMs, longestPauseMs)
      await pause(now, undefined, signal === undefined ? {} : { signal }).catch(() => undefined)
    },
  }
}
