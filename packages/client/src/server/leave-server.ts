import type { ResultOf } from '@parley/protocol'
import { connectSocket } from '@parley/rpc'
import { type Client, connectClient } from '../connection/client.ts'
import { withinLimit } from '../connection/within-limit.ts'
import type { SpawnedServer } from './spawn-server.ts'

/** For an answer, for stopping what runs, and for saving: a server that needs longer cannot end by itself. */
const leaveLimitMs = 10_000
/** A server that nobody has talked to yet has nothing to save. */
const discardLimitMs = 1_000
/** One that others have joined answers them, and so us. */
const answerLimitMs = 1_000
/** The system ends a killed process within milliseconds, unless it hangs in the kernel. */
const killLimitMs = 1_000

export interface Leaving {
  readonly client: Client
  /** Ends all that we have open there. */
  readonly close: () => Promise<unknown>
  /** It was told to go on without us. */
  readonly detached?: boolean
  /** Default 10 s. */
  readonly limitMs?: number
}

/**
 * Closes our connection to a server of our own and waits for its end; one that others need goes on. One that does not
 * end is killed, and the sentence that says so is the result, else null.
 */
export async function leaveServer(server: SpawnedServer, leaving: Leaving): Promise<string | null> {
  const { client, close, detached = false, limitMs = leaveLimitMs } = leaving
  const startedMs = performance.now()
  const before = detached ? 'lost' : await diagnosticsOf(client, limitMs)
  // What we follow ourselves is told apart only before it is closed.
  const isLeft = detached || (typeof before === 'object' && isNeeded(before, client.follows))
  await close()
  if (!isLeft && (await endsWithin(server, Math.max(0, limitMs - (performance.now() - startedMs))))) return null
  // Without a connection it cannot be asked who needs it; and somebody may have joined between its answer and our leaving.
  if (isLeft || before === 'lost' || (before !== 'silent' && (await isJoined(before.addresses, client)))) {
    server.release()
    return null
  }
  return await kill(server, limitMs)
}

/** Ends a server that has not greeted us: nobody else can need it. The result is as of `leaveServer`. */
export async function discardServer(server: SpawnedServer): Promise<string | null> {
  server.kill('SIGTERM')
  await server.transport.close()
  return (await endsWithin(server, discardLimitMs)) ? null : await kill(server, discardLimitMs)
}

async function kill(server: SpawnedServer, afterMs: number): Promise<string> {
  server.kill('SIGKILL')
  await endsWithin(server, killLimitMs)
  server.release()
  return `The server (process ${server.pid}) did not end within ${afterMs / 1000} s, so it was killed, with what still ran in it. Nothing that was shown is lost.`
}

async function endsWithin({ exited }: SpawnedServer, limitMs: number): Promise<boolean> {
  const expired = new Error('it goes on')
  return await withinLimit(exited, { limitMs, expired: () => expired }).then(
    () => true,
    () => false,
  )
}

type Diagnostics = ResultOf<'server/diagnostics'>

/** `silent`: it does not answer within the limit. `lost`: there is no connection to ask by. */
function diagnosticsOf(client: Client, limitMs: number): Promise<Diagnostics | 'silent' | 'lost'> {
  const noAnswer = new Error('no answer')
  const asked = client.request('server/diagnostics', {})
  return withinLimit(asked, { limitMs, expired: () => noAnswer }).catch((error: unknown) =>
    error === noAnswer ? 'silent' : 'lost',
  )
}

/** True where something goes on there without us: others follow it, or it was detached. */
function isNeeded({ conversations }: Diagnostics, follows: Client['follows']): boolean {
  return conversations.some(
    ({ conversationId, clients, detached }) => detached || clients > (follows(conversationId) ? 1 : 0),
  )
}

/** Asks by its socket, since our own connection is closed. */
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
