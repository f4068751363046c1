import { type ResultOf, type ServerNotice, unsavedExitCode } from '@parley/protocol'
import { connectSocket } from '@parley/rpc'
import { type Client, connectClient, type Introduction } from '../connection/client.ts'
import { ClientError } from '../connection/errors.ts'
import { withinLimit } from '../connection/within-limit.ts'
import type { Team } from '../team/team.ts'
import type { ServerExit } from './server-process.ts'
import type { SpawnedServer } from './spawn-server.ts'
import { silenceLimitMs, watchSilence } from './watch-silence.ts'

/** Time to stop what runs and to save, for a server that answers; one that takes longer is killed. */
const leaveLimitMs = 10_000
/** A server that has not answered the handshake has nothing to save. */
const discardLimitMs = 1_000
/** Time for a server to list its other clients over its socket. */
const answerLimitMs = 1_000
/** Time to close the connection to another process, which may hang. */
const joinedLimitMs = 2_000
/** A killed process ends within milliseconds unless it hangs in the kernel. */
const killLimitMs = 1_000

export interface Leaving {
  readonly client: Client
  /** Closes every conversation and the connection. */
  readonly close: () => Promise<unknown>
  /** True after a detach: the server keeps running without this client. */
  readonly detached?: boolean
  /** Time for the server to end before it is killed. Default: 10 s. */
  readonly limitMs?: number
}

/** Notice about the end of a server. */
export type LastWords = Pick<ServerNotice, 'level' | 'code' | 'message'>

/** The end of a connection. */
export interface Ending {
  /** Resolves to the reason of a loss that was not requested here. */
  explain(): Promise<ClientError>
  /** Closes the connection and ends an owned server that no other client needs. Resolves to what has to be said of its end. */
  leave(leaving: Leaving): Promise<LastWords | null>
}

/**
 * Closes the connection to an owned server and waits for its end, unless other clients need it. Kills a server that
 * exceeds the limit or gives no sign of life. Resolves to the notice that says so, or that not all was saved; else to null.
 */
export async function leaveServer(server: SpawnedServer, leaving: Leaving): Promise<LastWords | null> {
  const { client, close, detached = false, limitMs = leaveLimitMs } = leaving
  const startedMs = performance.now()
  const before = detached ? 'lost' : await firstSign(client, limitMs)
  if (before === 'stopped') return await killStopped(server, close)
  // After closing, conversations followed here cannot be distinguished from those of others.
  const isLeft = detached || (typeof before === 'object' && isNeeded(before, client.follows))
  await close()
  const exit = isLeft ? null : await endWithin(server, Math.max(0, limitMs - (performance.now() - startedMs)))
  if (exit !== null) return exit.code === unsavedExitCode ? unsaved : null
  // A client may have joined after the first answer; without a connection there is no way to ask.
  if (isLeft || before === 'lost' || (before !== 'silent' && (await isJoined(before.addresses, client)))) {
    server.release()
    return null
  }
  return await kill(server, notEnded(limitMs))
}

/** End of a connection to the process of a joined conversation, which belongs to others. */
export const endOfJoined: Ending = {
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
export function endOfTeam(team: Pick<Team, 'home'> & AsyncDisposable): Ending {
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
export async function discardServer(server: SpawnedServer): Promise<LastWords | null> {
  server.kill('SIGTERM')
  await server.transport.close()
  return (await endWithin(server, discardLimitMs)) === null ? await kill(server, notEnded(discardLimitMs)) : null
}

/** Reports what has to be said of the end of a server. */
export function reportEnd(words: LastWords | null, onNotice: Introduction['onNotice']): void {
  if (words !== null) onNotice?.(words)
}

const unsaved: LastWords = {
  level: 'error',
  code: 'storageFailed',
  message:
    'Not everything could be saved: the disk took nothing when the server ended, and what it had yet to store is lost. Nothing that was shown is lost; logs/server.log in $PARLEY_HOME says more.',
}

/** Kills a server while the connection closes: its conversations are told of nothing by a process that reads nothing. */
async function killStopped(server: SpawnedServer, close: Leaving['close']): Promise<LastWords> {
  const [, words] = await Promise.all([close(), kill(server, `did not answer for ${silenceLimitMs / 1000} s`)])
  return words
}

const notEnded = (limitMs: number) => `did not end within ${limitMs / 1000} s`

async function kill(server: SpawnedServer, why: string): Promise<LastWords> {
  server.kill('SIGKILL')
  await endWithin(server, killLimitMs)
  server.release()
  const message = `The server (process ${server.pid}) ${why}, so it was killed, with what still ran in it. Nothing that was shown is lost.`
  return { level: 'warning', code: 'serverKilled', message }
}

/** Resolves to the end of the process; null if it goes on for longer. */
async function endWithin({ exited }: SpawnedServer, limitMs: number): Promise<ServerExit | null> {
  const expired = new Error('it goes on')
  return await withinLimit(exited, { limitMs, expired: () => expired }).catch(() => null)
}

type Diagnostics = ResultOf<'server/diagnostics'>

/** Asks who is connected. `stopped`: the server answers nothing at all. */
async function firstSign(client: Client, limitMs: number): Promise<Diagnostics | 'stopped' | 'silent' | 'lost'> {
  using silence = watchSilence(client)
  return await Promise.race([diagnosticsOf(client, limitMs), silence.stopped])
}

/** Asks who is connected. `silent`: no answer within the limit; `lost`: no connection to ask through. */
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

/** Asks through the server's socket, because the connection of this client is closed. */
async function isJoined(addresses: readonly string[], { introduction }: Client): Promise<boolean> {
  const path = addresses.find((address) => address.startsWith('/'))
  if (path === undefined) return false
  const transport = await connectSocket(path).catch(() => null)
  if (transport === null) return false
  const asking = connectClient({ ...introduction, transport, access: 'readOnly', canApprove: false })
  const found = asking.then((client) => diagnosticsOf(client, answerLimitMs))
  const expired = () => new Error('no answer')
  const now = await withinLimit(found, { limitMs: answerLimitMs, expired }).catch(() => 'silent' as const)
  await transport.close()
  return typeof now === 'object' && (now.clients.length > 1 || isNeeded(now, () => false))
}
