import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, readdirSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { ConnectError, connectSocket, type Listener, listenSocket, type Transport } from '@parley/rpc'

/** Where this user's sockets live, or why there is no such place. */
type RunFolder = { readonly path: string } | { readonly problem: string }

interface Place {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly uid: number
  /** `/tmp`, but for tests. */
  readonly shared?: string
}

/**
 * `$XDG_RUNTIME_DIR/parley`, else `/tmp/parley-UID`; made when missing, 0700. Whoever can put a file there can pose as a
 * server, so a link, or a folder of somebody else, is refused.
 */
export function makeRunFolder(place: Place): RunFolder {
  let found: RunFolder = { problem: 'there is no place for it' }
  for (const path of runFolders(place)) {
    found = privateFolder(path, place.uid)
    if ('path' in found) break
  }
  return found
}

/** Where it may be, the best first. Whoever reaches a socket in it can answer the questions of its server. */
function runFolders({ env, uid, shared = '/tmp' }: Place): readonly string[] {
  const runtime = env['XDG_RUNTIME_DIR'] ?? ''
  return [...(runtime === '' ? [] : [join(runtime, 'parley')]), join(shared, `parley-${uid}`)]
}

function privateFolder(path: string, uid: number): RunFolder {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) return { problem: `${path} cannot be made (${codeOf(error)})` }
  }
  const facts = lstatSync(path, { throwIfNoEntry: false })
  if (facts === undefined || !facts.isDirectory()) return { problem: `${path} is no folder` }
  if (facts.uid !== uid) return { problem: `${path} belongs to another user` }
  if ((facts.mode & 0o077) !== 0) chmodSync(path, 0o700)
  return { path }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}

/** Of the user of this process. */
export function ownRunFolders(env: Place['env']): readonly string[] {
  return runFolders({ env, uid: process.getuid?.() ?? 0 })
}

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
