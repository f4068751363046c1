import type { Client } from '@parley/client'
import type { ServerNotice } from '@parley/protocol'
import { connect } from '../cli/connect.ts'
import type { Launch } from '../main.ts'
import { terminalTitle } from './terminal-title.ts'

/** The way to a server. */
export interface Link extends AsyncDisposable {
  readonly client: Client
  /** It belongs to another process, whose conversation this window has joined. */
  readonly attached: boolean
  readonly serverPid: number | null
  /** Goes, and does not wait for the server to end: it was told to go on. */
  detach(): Promise<void>
}

/** How long the way to a server of another process may take to close. */
const farewellMs = 2_000

export type OnNotice = (notice: Pick<ServerNotice, 'message' | 'level' | 'errno'>) => void

/** To a server of our own. */
export async function ownLink(launch: Launch, onNotice: OnNotice, signal: AbortSignal): Promise<Link> {
  const connection = await connect(launch, {
    signal,
    canApprove: true,
    clientName: 'parley',
    clientTitle: terminalTitle(),
    onNotice,
  })
  const { client, server } = connection
  return {
    client,
    attached: false,
    serverPid: server.pid ?? null,
    detach: () => connection.detach(),
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  }
}

/** To the server of the process that has the conversation. */
export async function joinedLink(client: Client): Promise<Link> {
  const { pid } = await client.request('server/diagnostics', {})
  return {
    client,
    attached: true,
    serverPid: pid,
    detach: () => client.close(),
    [Symbol.asyncDispose]: () => withinFarewell(client.close()),
  }
}

async function withinFarewell(leaving: PromiseLike<void>): Promise<void> {
  const timer = Promise.withResolvers<void>()
  const timeout = setTimeout(timer.resolve, farewellMs)
  await Promise.race([leaving, timer.promise])
  clearTimeout(timeout)
}
