import { ConnectionClosedError } from '@parley/rpc'
import { type Client, type ClientCallbacks, connectClient, type Introduction } from './connection/client.ts'
import { ClientError } from './connection/errors.ts'
import type { SharedAccess } from './connection/reach-server.ts'
import { withinLimit } from './connection/within-limit.ts'
import { Parley } from './parley.ts'
import { reportEnd, teamConnectionEnd } from './server/leave-server.ts'
import { openLink, type ServerLink, type SeveralServers, type Target } from './server/link.ts'
import { openTeam } from './team/team.ts'

export interface ConnectOptions extends ClientCallbacks {
  /** Name that other clients see as the author of messages and decisions. Default: `script`. */
  readonly name?: string
  /** Name shown to people. Default: `name`. */
  readonly title?: string
  readonly version?: string
  /** `readOnly`: the server rejects every change with `notPermitted`. Default: `full`. */
  readonly access?: 'full' | 'readOnly'
  /** False if this program never answers approvals. Default: true with full access. */
  readonly canApprove?: boolean
  /** True if this program shows a reached limit of a conversation and calls `continue()` when its user wants. Default: false. */
  readonly canRaiseLimits?: boolean
  /** False if this program only makes the limits of conversations stricter; the server rejects anything else with `notPermitted`. Default: true. */
  readonly mayLoosen?: boolean
  /** Aborts the attempt, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** A server answers within 0.1 s; a checkout that builds itself first needs most of this. */
const startLimit = { limitMs: 120_000, expired: silent }

/** Time for a server to exit after it has closed the connection. */
const exitLimitMs = 1_000

/** Connects to a server: by default one that is started for this program and ends with the connection. Throws `serverNotFound` and `serverFailed`. */
export async function connect(target: Target = { spawn: {} }, options: ConnectOptions = {}): Promise<Parley> {
  options.signal?.throwIfAborted()
  if ('urls' in target) return await connectTeam(target, options)
  const link = await openLink(target, options.signal)
  try {
    const client = await withinLimit(greet(link, options, target), { ...startLimit, signal: options.signal })
    return new Parley(client, link, { attached: false, serverPid: link.serverPid })
  } catch (error) {
    const failure = error instanceof ConnectionClosedError ? await failedStart(link) : error
    reportEnd(await link.discard(), options.onNotice)
    throw failure
  }
}

/** Connects to the first of several servers that answers, and goes on with the others. */
async function connectTeam({ urls, ...access }: SeveralServers, options: ConnectOptions): Promise<Parley> {
  const introduction = introductionOf(options, access)
  const opening = openTeam({ ...access, addresses: urls, introduction }, options.signal)
  const team = await withinLimit(opening, { ...startLimit, signal: options.signal }).catch((error: unknown) => {
    opening.then((late) => late[Symbol.asyncDispose]()).catch(() => undefined)
    throw error
  })
  return new Parley(team.home, teamConnectionEnd(team), { attached: false, serverPid: null }, team)
}

function greet({ transport }: ServerLink, options: ConnectOptions, target: Target): Promise<Client> {
  const greeting = connectClient({ ...introductionOf(options, accessOf(target)), transport })
  // Loads the code that draws the id of the first message while the server starts: 3 ms.
  crypto.randomUUID()
  return greeting
}

/** Returns the means to reach other servers of the store. */
function accessOf(target: Target): SharedAccess | undefined {
  if ('url' in target) {
    const { url: through, ...access } = target
    return { ...access, through }
  }
  return 'server' in target && target.token !== undefined ? { token: target.token } : undefined
}

function introductionOf(options: ConnectOptions, reach: SharedAccess | undefined): Introduction {
  const { name = 'script', title, version = '0', access = 'full', canApprove = access === 'full' } = options
  const { canRaiseLimits = false, mayLoosen, onNotice, onLoginCompleted, checkResult } = options
  return {
    clientInfo: { name, version, ...(title === undefined ? {} : { title }) },
    canApprove,
    canRaiseLimits,
    access,
    ...(reach === undefined ? {} : { reach }),
    ...(mayLoosen === undefined ? {} : { mayLoosen }),
    callbacks: {
      ...(onNotice === undefined ? {} : { onNotice }),
      ...(onLoginCompleted === undefined ? {} : { onLoginCompleted }),
      ...(checkResult === undefined ? {} : { checkResult }),
    },
  }
}

/** Explains a server that closed the connection. Waits a moment for its exit, because the exit code says more than a kill. */
async function failedStart(link: ServerLink): Promise<ClientError> {
  const explained = link.explain()
  const given = await withinLimit(explained, { limitMs: exitLimitMs, expired: silent }).catch(() => null)
  if (given === null) await link.discard()
  const error = given ?? (await explained)
  return error.data.code === 'serverNotFound' ? error : new ClientError('serverFailed', error.message)
}

function silent(): ClientError {
  return new ClientError('serverFailed', 'The server did not answer within two minutes.')
}
