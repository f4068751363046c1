import { type Client, connectClient, explainExit, hasOtherClients, seeOff, withinLimit } from '@parley/client'
import type { ServerNotice } from '@parley/protocol'
import { ConnectionClosedError } from '@parley/rpc'
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
  /** What others see as the author of messages and answers. */
  readonly clientTitle?: string
  readonly serverArgs?: readonly string[]
  readonly onNotice?: (notice: ServerNotice) => void
  /** Ends the attempt with its reason. */
  readonly signal?: AbortSignal
}

/** A server answers within a tenth of a second; one that needs this long will not. */
const startLimit = { limitMs: 30_000, expired: () => serverFailed('The server did not answer within 30 s.') }
/** What it may take to stop what runs and to save. */
const leaveLimitMs = 10_000

/** A connection to our own server; closing it lets the server save and leave. */
export async function connect(launch: Launch, options: ConnectOptions): Promise<Connection> {
  const server = launch.early ?? launchServer(launch, options.serverArgs ?? [])
  try {
    const client = await withinLimit(greet(launch, server, options), { ...startLimit, signal: options.signal })
    server.claim()
    return { client, server, [Symbol.asyncDispose]: () => leave(server, client) }
  } catch (error) {
    server.kill('SIGTERM')
    await server.transport.close()
    await ended(server)
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

async function leave(server: LaunchedServer, client: Client): Promise<void> {
  const goesOn = await hasOtherClients(client)
  await client.close()
  if (goesOn) server.release()
  else await seeOff(server, leaveLimitMs)
}

/** Nobody else can need one that did not greet us. */
async function ended({ exited, kill }: LaunchedServer): Promise<void> {
  const timer = setTimeout(kill, leaveLimitMs, 'SIGKILL')
  await exited
  clearTimeout(timer)
}

/** The sentence for a server that is gone though nobody closed it. */
export async function whyItEnded(server: LaunchedServer): Promise<ParleyError> {
  return serverFailed(await explainExit(server))
}

function serverFailed(message: string): ParleyError {
  return new ParleyError('serverFailed', exitCodes.internal, message)
}
