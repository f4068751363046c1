import { type Client, connectClient } from '@parley/client'
import type { ServerNotice } from '@parley/protocol'
import type { Launch } from '../main.ts'
import { type LaunchedServer, launchServer } from './launch-server.ts'

export interface Connection extends AsyncDisposable {
  readonly client: Client
  readonly server: LaunchedServer
}

interface ConnectOptions {
  readonly canApprove: boolean
  readonly clientName: string
  readonly serverArgs?: readonly string[]
  readonly onNotice?: (notice: ServerNotice) => void
}

/** A connection to our own server; closing it lets the server save and leave. */
export async function connect(launch: Launch, options: ConnectOptions): Promise<Connection> {
  const { program, home, env, early } = launch
  const server = early ?? launchServer({ program, home, env, args: options.serverArgs ?? [] })
  const client = await connectClient({
    transport: server.transport,
    clientInfo: { name: options.clientName, version: program.version },
    canApprove: options.canApprove,
    ...(options.onNotice === undefined ? {} : { onNotice: options.onNotice }),
  })
  return {
    client,
    server,
    async [Symbol.asyncDispose]() {
      await client.close()
      await server.exited
    },
  }
}
