import { type ResultOf, type ServerNotice, unsavedExitCode } from '@parley/protocol'
import { connectSocket } from '@parley/rpc'
import { type Client, type ClientCallbacks, connectClient } from '../connection/client.ts'
import { ClientError } from '../connection/errors.ts'
import { withinLimit } from '../connection/within-limit.ts'
import type { Team } from '../team/team.ts'
import type { ServerExit } from './server-process.ts'
import type { SpawnedServer } from './spawn-server.ts'
import { silenceLimitMs, watchSilence } from './watch-silence.ts'

/** Time for a server that answers to stop its commands and to save; a slower server is killed. */
const leaveLimitMs = 10_000
/** A server that has not answered the handshake has nothing to save. */
const discardLimitMs = 1_000
/** Time for a server to list its other clients over its socket. */
const answerLimitMs = 1_000
/** Time to close the connection to another process, which may hang. */
const joinedLimitMs = 2_000
/** A killed process ends within milliseconds unless it hangs in the kernel. */
const killLimitMs = 1_000

export interface LeaveOptions {
  readonly client: Client
  /** Closes every conversation and the connection. */
  readonly close: () => Promise<unknown>
  /** True after a detach: the server keeps running without this client. */
  readonly detached?: boolean
  /** Time for the server to end before it is killed. Default: 10 s. */
  readonly limitMs?: number
}

export type EndNotice = Pick<ServerNotice, 'level' | 'code' | 'message'>

/** Explains and carries out the end of a connection. */
export interface ConnectionEnd {
  /** Resolves to the reason of a loss that was not requested here. */
  explain(): Promise<ClientError>
  /** Closes the connection and ends an owned server that no other client needs. Resolves to a notice about a bad end, else to null. */
  leave(leaving: LeaveOptions): Promise<EndNotice | null>
}

/**
 * Closes the connection to an owned server and waits for its end, unless other clients need it. Kills a server that
 * exceeds the limit or gives no sign of life. Resolves to a notice of that, or of unsaved events; else to null.
 */
export async function leaveServer(server: SpawnedServer, leaving: LeaveOptions): Promise<EndNotice | null> {
  const { client, close, detached = false, limitMs = leaveLimitMs } = leaving
  const startedMs = performance.now()
  const reply = detached ? 'lost' : await diagnosticsUnlessStopped(client, limitMs)
  if (reply === 'stopped') return await killStopped(server, close)
  // After closing, the server counts clients here like clients of others.
  const isLeft = detached || (typeof reply === 'object' && isNeeded(reply, client.follows))
  await close()
  const exit = isLeft ? null : await endWithin(server, Math.max(0, limitMs - (performance.now() - startedMs)))
  if (exit !== null) return exit.code === unsavedExitCode ? unsaved : null
  // A client may have joined after the first answer; without a connection there is no way to ask.
  if (isLeft || reply === 'lost' || (reply !== 'silent' && (await isJoined(reply.addresses, client)))) {
    server.release()
    return null
  }
  return await kill(server, notEnded(limitMs))
}

/** End of a connection to the process of a joined conversation, which belongs to others. */
export const joinedConnectionEnd: ConnectionEnd = {
  async explain() {
    const lost = 'The process that has the conversation open is gone. Nothing shown is lost: resume it.'
    return new ClientError('connectionClosed', lost)
  },
  async leave({ close }) {
    const expired = () => new ClientError('connectionClosed', 'The other process does not answer.')
    await withinLimit(close(), { limitMs: joinedLimitMs, expired }).catch(() => undefined)
    return null
  },
}

/** Returns the end of connections to several servers. */
export function teamConnectionEnd(team: Pick<Team, 'home'> & AsyncDisposable): ConnectionEnd {
  return {
    async explain() {
      const { failure } = team.home
      if (failure instanceof ClientError) return failure
      return new ClientError('connectionClosed', failure?.message ?? 'The connection was closed.', failure)
    },
    async leave({ close }) {
      await close()
      await team[Symbol.asyncDispose]()
      return null
    },
  }
}

/** Ends a server that has not answered the handshake. Resolves as `leaveServer` does. */
export async function discardServer(server: SpawnedServer): Promise<EndNotice | null> {
  server.kill('SIGTERM')
  await server.transport.close()
  return (await endWithin(server, discardLimitMs)) === null ? await kill(server, notEnded(discardLimitMs)) : null
}

/** Passes on the notice about a bad end of a server, if there is one. */
export function reportEnd(words: EndNotice | null, onNotice: ClientCallbacks['onNotice']): void {
  if (words !== null) onNotice?.(words)
}

const unsaved: EndNotice = {
  level: 'error',
  code: 'storageFailed',
  message:
    'Not everything could be saved: the disk took nothing when the server ended, and what it had yet to store is lost. Nothing that was shown is lost; logs/server.log in $PARLEY_HOME says more.',
}

/** Kills a server while the connection closes: a server that reads nothing cannot be asked to close its conversations. */
async function killStopped(server: SpawnedServer, close: LeaveOptions['close']): Promise<EndNotice> {
  const [, words] = await Promise.all([close(), kill(server, `did not answer for ${silenceLimitMs / 1000} s`)])
  return words
}

const notEnded = (limitMs: number) => `did not end within ${limitMs / 1000} s`

async function kill(server: SpawnedServer, why: string): Promise<EndNotice> {
  server.kill('SIGKILL')
  await endWithin(server, killLimitMs)
  server.release()
  const message = `The server (process ${server.pid}) ${why}, so it was killed, with what still ran in it. Nothing that was shown is lost.`
  return { level: 'warning', code: 'serverKilled', message }
}

/** Resolves to the end of the process; null if the process outlives the limit. */
async function endWithin({ exited }: SpawnedServer, limitMs: number): Promise<ServerExit | null> {
  const expired = new Error('it goes on')
  return await withinLimit(exited, { limitMs, expired: () => expired }).catch(() => null)
}

type Diagnostics = ResultOf<'server/diagnostics'>

/** Requests the clients of the server. `stopped`: the server answers nothing at all. */
async function diagnosticsUnlessStopped(
  client: Client,
  limitMs: number,
): Promise<Diagnostics | 'stopped' | 'silent' | 'lost'> {
  using silence = watchSilence(client)
  return await Promise.race([diagnosticsOf(client, limitMs), silence.stopped])
}

/** Requests the clients of the server. `silent`: no answer within the limit; `lost`: no connection to ask through. */
function diagnosticsOf(client: Client, limitMs: number): Promise<Diagnostics | 'silent' | 'lost'> {
  const noAnswer = new Error('no answer')
  const asked = client.request('server/diagnostics', {})
  return withinLimit(asked, { limitMs, expired: () => noAnswer }).catch((error: unknown) =>
    error === noAnswer ? 'silent' : 'lost',
  )
}

/** Returns true if another client follows a conversation of the server, or one was detached. */
function isNeeded({ conversations }: Diagnostics, follows: Client['follows']): boolean {
  return conversations.some(
    ({ conversationId, clients, detached }) => detached || clients > (follows(conversationId) ? 1 : 0),
  )
}

/** Asks for clients through the server's socket, because the connection of this client is closed. */
async function isJoined(addresses: readonly string[], { introduction }: Client): Promise<boolean> {
  const path = addresses.find((address) => address.startsWith('/'))
  if (path === undefined) return false
  const transport = await connectSocket(path).catch(() => null)
  if (transport === null) return false
  const asking = connectClient({ ...introduction, transport, access: 'readOnly', canApprove: false })
  const found = asking.then((client) => diagnosticsOf(client, answerLimitMs))
  const expired = () => new Error('no answer')
  const reply = await withinLimit(found, { limitMs: answerLimitMs, expired }).catch(() => 'silent' as const)
  await transport.close()
  return typeof reply === 'object' && (reply.clients.length > 1 || isNeeded(reply, () => false))
}
