import { type Client, connectClient } from '@parley/client'
import type { ServerNotice } from '@parley/protocol'
import { ConnectionClosed } from '@parley/rpc'
import type { Launch } from '../main.ts'
import { exitCodes } from './exit-codes.ts'
import { type LaunchedServer, launchServer } from './launch-server.ts'
import { ParleyError } from './parley-error.ts'

export interface Connection extends AsyncDisposable {
  readonly client: Client
  readonly server: LaunchedServer
}

interface ConnectOptions {
  readonly canApprove: boolean
  readonly clientName: string
  readonly serverArgs?: readonly string[]
  readonly onNotice?: (notice: ServerNotice) => void
  /** Ends the attempt with its reason. */
  readonly signal?: AbortSignal
}

/** A server answers within a tenth of a second; one that needs this long will not. */
const startLimitMs = 30_000
/** What it may take to stop what runs and to save. */
const leaveLimitMs = 10_000
/** A server that is asked whether it has other clients and does not say has none. */
const othersLimitMs = 500

/** A connection to our own server; closing it lets the server save and leave. */
export async function connect(launch: Launch, options: ConnectOptions): Promise<Connection> {
  const server = launch.early ?? launchServer(launch, options.serverArgs ?? [])
  try {
    const client = await withinLimit(greet(launch, server, options), options.signal)
    server.claim()
    return { client, server, [Symbol.asyncDispose]: () => leave(server, client) }
  } catch (error) {
    server.kill('SIGTERM')
    await server.transport.close()
    await seeOff(server)
    throw error instanceof ConnectionClosed ? await whyItEnded(server) : error
  }
}

function greet({ program }: Launch, { transport }: LaunchedServer, options: ConnectOptions): Promise<Client> {
  const { clientName, canApprove, onNotice } = options
  return connectClient({
    transport,
    clientInfo: { name: clientName, version: program.version },
    canApprove,
    ...(onNotice === undefined ? {} : { onNotice }),
  })
}

async function withinLimit(client: Promise<Client>, signal: AbortSignal | undefined): Promise<Client> {
  const given = Promise.withResolvers<never>()
  const stop = () => given.reject(signal?.reason)
  const expire = () => given.reject(serverFailed(`The server did not answer within ${startLimitMs / 1000} s.`))
  const timer = setTimeout(expire, startLimitMs)
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted === true) stop()
  try {
    return await Promise.race([client, given.promise])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
    // Whoever lost the race may still fail.
    client.catch(() => undefined)
  }
}

async function leave(server: LaunchedServer, client: Client): Promise<void> {
  const goesOn = await hasOthers(client)
  await client.close()
  if (goesOn) server.release()
  else await seeOff(server)
}

/** Others take part in what is open there: the server goes on with them. */
async function hasOthers(client: Client): Promise<boolean> {
  const expired = Promise.withResolvers<null>()
  const timer = setTimeout(expired.resolve, othersLimitMs, null)
  const asked = client.request('server/diagnostics', {}).catch(() => null)
  const diagnostics = await Promise.race([asked, expired.promise])
  clearTimeout(timer)
  return diagnostics?.conversations.some(({ clients }) => clients > 1) ?? false
}

async function seeOff({ exited, kill }: LaunchedServer): Promise<void> {
  const timer = setTimeout(kill, leaveLimitMs, 'SIGKILL')
  await exited
  clearTimeout(timer)
}

/** The sentence for a server that is gone though nobody closed it. */
export async function whyItEnded(server: LaunchedServer): Promise<ParleyError> {
  const { code, signal } = await server.exited
  const how = signal !== null ? `was ended by ${signal}` : code === null ? 'could not be started' : `ended with ${code}`
  const words = server.lastWords()
  const said = words === null ? '' : ` It said: ${lastLineOf(words.text)} (all of it is in ${words.path})`
  return serverFailed(`The server ${how}.${said}`)
}

function serverFailed(message: string): ParleyError {
  return new ParleyError('serverFailed', exitCodes.internal, message)
}

/** Node puts its version below the error it reports. */
function lastLineOf(text: string): string {
  const lines = text.split('\n').filter((line) => /\S/.test(line) && !/^(Node\.js v|\s+at |[\s^{}]+$)/.test(line))
  return lines.find((line) => /^\w*Error\b/.test(line)) ?? lines.at(-1) ?? ''
}
