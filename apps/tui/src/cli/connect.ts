import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type CheckResult,
  ClientError,
  type Conversation,
  connect as connectTo,
  hasNoStorage,
  type ConnectOptions as LibraryOptions,
  type Parley,
  serverOn,
} from '@parley/client'
import { knownToken, type NamedServer } from '@parley/client/named-servers'
import { showEffects } from '@parley/presentation/text/control-characters'
import type { ConversationId, LoginCompleted, Overrides, ServerNotice } from '@parley/protocol'
import { exitCodeOf, exitCodes, misused, ParleyError } from './exit-codes.ts'
import { type Launch, type LaunchedServer, launchServer } from './launch-server.ts'

interface ConnectOptions {
  readonly clientName: string
  /** Name shown to people as the author of messages and answers. */
  readonly clientTitle?: string
  readonly canApprove?: boolean
  readonly canRaiseLimits?: boolean
  readonly serverArgs?: readonly string[]
  readonly onNotice?: (notice: ServerNotice) => void
  readonly onLoginCompleted?: (end: LoginCompleted) => void
  /** Aborts the attempt, which rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** A server answers within 0.1 s; after this time it counts as failed. */
const startLimitMs = 30_000
const slowStartMs = 500

/** Connects to the server of this program; closing the connection lets it save and end. Throws `serverFailed`. */
export async function connect(launch: Launch, options: ConnectOptions): Promise<Parley> {
  const checkResult = await resultCheck(launch)
  options.signal?.throwIfAborted()
  if (launch.server !== null)
    return await connectNamed(launch.server, {
      ...introductionOf(launch, options),
      ...checkResult,
      ...signalOf(options),
    })
  const server = launch.early ?? launchServer(launch, options.serverArgs ?? [])
  const expired = new AbortController()
  const timer = setTimeout(() => expired.abort(serverFailed('The server did not answer within 30 s.')), startLimitMs)
  using _start = options.onNotice === undefined ? reportSlowStart(server) : null
  const signal = options.signal === undefined ? expired.signal : AbortSignal.any([options.signal, expired.signal])
  try {
    const token = knownToken(launch)
    const parley = await connectTo(
      { server: serverOn(server), ...(token === null ? {} : { token }) },
      { ...introductionOf(launch, options), ...checkResult, signal },
    )
    server.claim()
    return parley
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    throw hasNoStorage(await exitCodeNow(server))
      ? new ParleyError('storageFailed', exitCodes.storage, error.message)
      : serverFailed(error.message)
  } finally {
    clearTimeout(timer)
  }
}

/** Connects to servers that the command line names. Throws `serverUnreachable`, or `accessEnded` if they reject the token. */
async function connectNamed(server: NamedServer, options: LibraryOptions): Promise<Parley> {
  try {
    return await connectTo(server, options)
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    const { code } = error.data
    throw code === 'notSecure' ? misused(error.message) : new ParleyError(code, exitCodeOf(code), error.message)
  }
}

/** Resolves to the exit code of a server that has just ended; to null while it runs. */
function exitCodeNow({ exited }: LaunchedServer): Promise<number | null> {
  return Promise.race([exited.then(({ code }) => code), nextTurn(null)])
}

/**
 * Writes the last line of a slow server about itself to stderr, once. Waits one interval after a new line: if the
 * server ends meanwhile, the error contains the line.
 */
function reportSlowStart({ stderrTail }: LaunchedServer): Disposable {
  let before: string | undefined
  const timer = setInterval(() => {
    const said = stderrTail()
      ?.text.split('\n')
      .findLast((line) => line.startsWith('parley server: '))
    const isNew = said !== before
    before = said
    if (said === undefined || isNew) return
    process.stderr.write(`${showEffects(said)}\n`)
    clearInterval(timer)
  }, slowStartMs)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

function signalOf({ signal }: ConnectOptions): Pick<LibraryOptions, 'signal'> {
  return signal === undefined ? {} : { signal }
}

function introductionOf({ program }: Launch, options: ConnectOptions) {
  const {
    clientName,
    clientTitle,
    canApprove = false,
    canRaiseLimits = false,
    onNotice = reportToCommand,
    onLoginCompleted,
  } = options
  const title = clientTitle === undefined ? {} : { title: clientTitle }
  const heard = onLoginCompleted === undefined ? {} : { onLoginCompleted }
  return { name: clientName, ...title, version: program.version, canApprove, canRaiseLimits, onNotice, ...heard }
}

/**
 * Loads the schemas that check each result of the server, for development and tests: where `PARLEY_CHECK_RESULTS` is `1`.
 * A result that does not fit is a bug of this program.
 */
async function resultCheck({ env }: Launch): Promise<{ readonly checkResult?: CheckResult }> {
  if (env['PARLEY_CHECK_RESULTS'] !== '1') return {}
  const { methods } = await import('@parley/protocol/schema')
  return { checkResult: (method, result) => void methods[method].result.parse(result) }
}

/** Conversation by any of its names, or the last one of a folder. */
type ConversationQuery = { readonly prefix: string } | { readonly last: true; readonly cwd: string }

/** Finds a conversation by opening a view of it, which needs no lock. Rejects as that request does. */
export async function findConversation(
  parley: Pick<Parley, 'request'>,
  wanted: ConversationQuery,
): Promise<ConversationId> {
  const { conversationId } = await parley.request('conversation/resume', { ...wanted, readOnly: true })
  return conversationId
}

/** Copies a conversation up to the event `at`, or whole; leaves no copy if the overrides are rejected. */
export async function forkConversation(
  parley: Pick<Parley, 'fork' | 'request' | 'resume'>,
  { from, at }: { readonly from: ConversationQuery; readonly at: number | null },
  overrides: Overrides,
): Promise<Conversation> {
  const copy = await parley.fork(await findConversation(parley, from), at ?? undefined)
  if (Object.keys(overrides).length === 0) return copy
  try {
    return await parley.resume(copy.id, { overrides })
  } catch (error) {
    // The list would show a copy that the flags do not fit.
    await parley.request('conversation/delete', { conversationId: copy.id }).catch(() => undefined)
    throw error
  }
}

/** Codes of notices for a command that asks one question: the store is away, or its server was killed. */
const noticesOfCommands: ReadonlySet<string> = new Set(['storeAway', 'serverKilled'])

function reportToCommand({ code, message }: ServerNotice): void {
  if (noticesOfCommands.has(code)) process.stderr.write(`parley: ${showEffects(message)}\n`)
}

function serverFailed(message: string): ParleyError {
  return new ParleyError('serverFailed', exitCodes.internal, message)
}
