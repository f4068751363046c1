import { type Client, connectClient, discardServer, explainExit, leaveServer, withinLimit } from '@parley/client'
import type { ServerNotice } from '@parley/protocol'
import { ConnectionClosedError } from '@parley/rpc'
import { exitCodes, ParleyError } from './exit-codes.ts'
import type { Launch } from './launch-server.ts'
import { type LaunchedServer, launchServer } from './launch-server.ts'

export interface Connection extends AsyncDisposable {
  readonly client: Client
  readonly server: LaunchedServer
  /** Disconnects without waiting for the server, which was told to keep running. */
  detach(): Promise<void>
}

interface ConnectOptions {
  readonly canApprove: boolean
  readonly clientName: string
  /** Name shown to people as the author of messages and answers. */
  readonly clientTitle?: string
  readonly serverArgs?: readonly string[]
  readonly onNotice?: (notice: ServerNotice) => void
  /** Aborts the attempt, which rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** A server answers within 0.1 s; after this time it counts as failed. */
const startLimit = { limitMs: 30_000, expired: () => serverFailed('The server did not answer within 30 s.') }

/** Connects to the server of this program; closing the connection lets it save and end. Throws `serverFailed`. */
export async function connect(launch: Launch, options: ConnectOptions): Promise<Connection> {
  const server = launch.early ?? launchServer(launch, options.serverArgs ?? [])
  try {
    const client = await withinLimit(greet(launch, server, options), { ...startLimit, signal: options.signal })
    server.claim()
    return connected(server, client, options)
  } catch (error) {
    tell(await discardServer(server), options)
    throw error instanceof ConnectionClosedError ? await whyItEnded(server) : error
  }
}

function greet({ program }: Launch, { transport }: LaunchedServer, options: ConnectOptions): Promise<Client> {
  const { clientName, clientTitle, canApprove, onNotice } = options
  return connectClient({
    transport,
    clientInfo: {
      name: clientName,
      version: program.version,
      ...(clientTitle === undefined ? {} : { title: clientTitle }),
    },
    canApprove,
    ...(onNotice === undefined ? {} : { onNotice }),
  })
}

/** Returns a connection that is left once; the first call decides how. */
function connected(server: LaunchedServer, client: Client, options: ConnectOptions): Connection {
  let left: Promise<void> | null = null
  const leave = (detached: boolean) => {
    left ??= leaveServer(server, { client, close: () => client.close(), detached }).then((killed) =>
      tell(killed, options),
    )
    return left
  }
  return { client, server, detach: () => leave(true), [Symbol.asyncDispose]: () => leave(false) }
}

function tell(killed: string | null, { onNotice = toStderr }: ConnectOptions): void {
  if (killed !== null) onNotice({ level: 'warning', code: 'serverKilled', message: killed })
}

function toStderr({ message }: ServerNotice): void {
  process.stderr.write(`parley: ${message}\n`)
}

/** Resolves to the error about a server that ended unexpectedly. */
export async function whyItEnded(server: LaunchedServer): Promise<ParleyError> {
  return serverFailed(await explainExit(server))
}

function serverFailed(message: string): ParleyError {
  return new ParleyError('serverFailed', exitCodes.internal, message)
}
