import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { ConnectError, connectSocket, type Listener, listenSocket, type Transport } from '@parley/rpc'
import { makeRunFolder } from './run-folder.ts'

const youngMs = 10_000

interface RunSocketOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly onConnection: (transport: Transport) => void
  /** Why there is none; the server works without. */
  readonly onProblem: (sentence: string) => void
}

/** The socket by which this process can be found: every server listens on one of its own. Null where none can be made. */
export async function listenInRunFolder(options: RunSocketOptions): Promise<Listener | null> {
  const { env, home, onConnection, onProblem } = options
  const uid = process.getuid?.()
  if (uid === undefined) return null
  const folder = makeRunFolder({ env, uid })
  if ('problem' in folder) {
    onProblem(`others cannot join conversations of this process: ${folder.problem}`)
    return null
  }
  try {
    return await listenSocket({ path: join(folder.path, socketName(home)), onConnection })
  } catch (error) {
    onProblem(`others cannot join conversations of this process: ${error instanceof Error ? error.message : error}`)
    return null
  }
}

/** Short, since a socket's path may have about a hundred bytes; of this process alone. */
function socketName(home: string): string {
  const startedAtMs = Math.round(performance.timeOrigin)
  const digest = createHash('sha256').update(`${home}\0${process.pid}\0${startedAtMs}`).digest('hex')
  return `${digest.slice(0, 12)}.sock`
}

/** A killed server leaves its socket behind. Removes those beside `ours` that nobody listens on. */
export async function removeStaleSockets(ours: string): Promise<void> {
  const folder = join(ours, '..')
  const others = readdirSync(folder).map((name) => join(folder, name))
  for (const path of others.filter((name) => name.endsWith('.sock') && name !== ours)) {
    if (isOld(path) && (await isAbandoned(path))) unlinkSync(path)
  }
}

/** Between a socket's making and its first listening nobody answers either. */
function isOld(path: string): boolean {
  const facts = lstatSync(path, { throwIfNoEntry: false })
  return facts !== undefined && Date.now() - facts.mtimeMs > youngMs
}

async function isAbandoned(path: string): Promise<boolean> {
  try {
    await (await connectSocket(path)).close()
    return false
  } catch (error) {
    return error instanceof ConnectError && error.reason === 'unreachable'
  }
}
