import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, readdirSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Host } from '@parley/host'
import { ConnectError, connectSocket, ListenError, listenSocket, type Transport } from '@parley/rpc'
import { errorCode, errorMessage } from '@parley/text'
import { type KeptSocket, keepSocket } from './kept-socket.ts'

/** Folder of this user's sockets, or the problem with it. */
type RunFolder = { readonly path: string } | { readonly problem: string }

interface RunFolderOwner {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly uid: number
  /** Folder shared by users; `/tmp` outside of tests. */
  readonly shared?: string
}

/**
 * Returns `$XDG_RUNTIME_DIR/parley` or else `/tmp/parley-UID`, created with mode 0700. A link, or a folder of another
 * user, is a problem, since its owner could pose as a server.
 */
export function makeRunFolder(place: RunFolderOwner): RunFolder {
  let found: RunFolder = { problem: 'there is no place for it' }
  for (const path of runFolders(place)) {
    found = privateFolder(path, place.uid)
    if ('path' in found) break
  }
  return found
}

/** Returns the possible folders, best first. Sandboxes hide them, since a client of a socket can decide approvals. */
function runFolders({ env, uid, shared = '/tmp' }: RunFolderOwner): readonly string[] {
  const runtime = env['XDG_RUNTIME_DIR'] ?? ''
  return [...(runtime === '' ? [] : [join(runtime, 'parley')]), join(shared, `parley-${uid}`)]
}

function privateFolder(path: string, uid: number): RunFolder {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    const code = errorCode(error)
    if (code !== 'EEXIST') return { problem: `${path} cannot be made (${code ?? String(error)})` }
  }
  const facts = lstatSync(path, { throwIfNoEntry: false })
  if (facts === undefined || !facts.isDirectory()) return { problem: `${path} is not a folder` }
  if (facts.uid !== uid) return { problem: `${path} belongs to another user` }
  // A umask of 777 leaves a new folder that its owner cannot enter.
  if ((facts.mode & 0o777) !== 0o700) chmodSync(path, 0o700)
  return { path }
}

/** Returns the run folders of this process's user. */
export function ownRunFolders(env: RunFolderOwner['env']): readonly string[] {
  return runFolders({ env, uid: process.getuid?.() ?? 0 })
}

const youngMs = 1_000

interface RunSocketOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly onConnection: (transport: Transport) => void
  /** Called with each address that the socket has after the first. */
  readonly onMoved: (address: string) => void
  /** Called with the problem while there is no socket, and with where it is again; the server works without. */
  readonly report: (sentence: string) => void
}

/** Listens on a socket of this process's own, at which others find it, and anew where its file is removed. */
export async function listenInRunFolder(options: RunSocketOptions): Promise<KeptSocket> {
  const { env, home, onConnection, onMoved, report } = options
  const uid = process.getuid?.()
  if (uid === undefined) return { address: () => null, close: () => Promise.resolve() }
  const listen = async () => {
    const folder = makeRunFolder({ env, uid })
    if ('problem' in folder) throw new ListenError(folder.problem)
    return listenSocket({ path: join(folder.path, socketName(home)), onConnection })
  }
  const first = await listen().catch((error: unknown) => {
    report(`others cannot join conversations of this process: ${errorMessage(error)}`)
    return null
  })
  return keepSocket(first, { listen, onMoved, report })
}

/** Announces a socket that was made in place of a removed one, and has it removed when this process is killed. */
export function announceMovedSocket(
  socket: string,
  engine: { readonly listensAt: (addresses: { readonly socket: string }) => void },
  host: Pick<Host, 'removeWhenKilled'>,
): void {
  host.removeWhenKilled(socket)
  engine.listensAt({ socket })
}

/** Start of this process, noted once: a later reading of the clocks could give its socket another name. */
const startedAtMs = Date.now() - Math.round(process.uptime() * 1000)

/** Returns a name that is unique to this process and short, since a socket's path is limited to about 100 bytes. */
function socketName(home: string): string {
  const digest = createHash('sha256').update(`${home}\0${process.pid}\0${startedAtMs}`).digest('hex')
  return `${digest.slice(0, 12)}.sock`
}

/** Removes the sockets beside `ours` that no process listens on, which killed servers leave behind. Resolves to their count. */
export async function removeStaleSockets(ours: string): Promise<number> {
  const folder = join(ours, '..')
  let removed = 0
  const others = readdirSync(folder).map((name) => join(folder, name))
  for (const path of others.filter((name) => name.endsWith('.sock') && name !== ours)) {
    if (!isOld(path) || !(await isAbandoned(path))) continue
    unlinkSync(path)
    removed += 1
  }
  return removed
}

/** Returns false for a new socket, which does not listen yet. */
function isOld(path: string): boolean {
  const facts = lstatSync(path, { throwIfNoEntry: false })
  return facts !== undefined && Math.abs(Date.now() - facts.mtimeMs) > youngMs
}

async function isAbandoned(path: string): Promise<boolean> {
  try {
    await (await connectSocket(path)).close()
    return false
  } catch (error) {
    return error instanceof ConnectError && error.reason === 'unreachable'
  }
}
