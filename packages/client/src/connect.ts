import type { LoginCompleted, ServerNotice } from '@parley/protocol'
import { ConnectionClosedError } from '@parley/rpc'
import { type CheckResult, type Client, connectClient } from './connection/client.ts'
import { ClientError } from './connection/errors.ts'
import { withinLimit } from './connection/within-limit.ts'
import { Parley } from './parley.ts'
import { reportEnd } from './server/leave-server.ts'
import { type Link, openLink, type Target } from './server/link.ts'

export interface ConnectOptions {
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
  /** Called with trouble that belongs to no conversation, such as a full disk. */
  readonly onNotice?: (notice: ServerNotice) => void
  /** Called when an attempt to log in has ended, of any client of the server. */
  readonly onLoginCompleted?: (end: LoginCompleted) => void
  /** Checks the result of each request, and throws if it does not fit the protocol. Default: no check. */
  readonly checkResult?: CheckResult
}

/** A server answers within 0.1 s; a checkout that builds itself first needs most of this. */
const startLimit = { limitMs: 120_000, expired: silent }

/** Time for a server to exit after it has closed the connection. */
const exitLimitMs = 1_000

/** Connects to a server: by default one that is started for this program and ends with the connection. Throws `serverFailed`. */
export async function connect(target: Target = { spawn: {} }, options: ConnectOptions = {}): Promise<Parley> {
  options.signal?.throwIfAborted()
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

function greet({ transport }: Link, options: ConnectOptions, target: Target): Promise<Client> {
  const { name = 'script', title, version = '0', access = 'full', canApprove = access === 'full' } = options
  const { canRaiseLimits = false, mayLoosen, onNotice, onLoginCompleted, checkResult } = options
  const greeting = connectClient({
    transport,
    clientInfo: { name, version, ...(title === undefined ? {} : { title }) },
    canApprove,
    canRaiseLimits,
    access,
    ...('url' in target && target.token !== undefined ? { token: target.token } : {}),
    ...(mayLoosen === undefined ? {} : { mayLoosen }),
    ...(onNotice === undefined ? {} : { onNotice }),
    ...(onLoginCompleted === undefined ? {} : { onLoginCompleted }),
    ...(checkResult === undefined ? {} : { checkResult }),
  })
  // Loads, while the server starts, what the id of the first message takes: 3 ms.
  crypto.randomUUID()
  return greeting
}

/** Explains a server that closed the connection. It gets a moment to exit by itself, because its exit code says more than a kill. */
async function failedStart(link: Link): Promise<ClientError> {
  const explained = link.explain()
  const given = await withinLimit(explained, { limitMs: exitLimitMs, expired: silent }).catch(() => null)
  if (given === null) await link.discard()
  const { message } = given ?? (await explained)
  return new ClientError('serverFailed', message)
}

function silent(): ClientError {
  return new ClientError('serverFailed', 'The server did not answer within two minutes.')
}
