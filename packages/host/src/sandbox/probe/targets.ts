import { constants } from 'node:fs'
import { copyFile, link, mkdir, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeFifos } from '../../channels/fifo-pool.ts'
import { makeOwnFolder } from '../../system/own-leftovers.ts'
import { isWithin } from '../../system/real-path.ts'

/** Targets that the probe tries to reach. */
export interface ProbeTargets extends AsyncDisposable {
  /** Folder that may be written to. */
  readonly root: string
  /** Folder in the root, because the partial sandbox lets nothing be made in the root itself. */
  readonly inside: string
  readonly outside: string
  readonly secret: string
  readonly secretText: string
  /** FIFO in `outside`. */
  readonly pipe: string
  /** Port of this process on the machine's loopback. */
  readonly port: number
  /** Path of this process's Node that a sandbox shows. */
  readonly node: string
  wasReached(): boolean
  /** Resolves with true when `outside` was written to, whatever the probe reports. */
  wasWritten(): Promise<boolean>
}

const secretText = 'not for commands'

/** Makes the targets. `outsideParent`: folder for `outside`, unless it is a temporary one, which a sandbox may replace. */
export async function openProbeTargets(outsideParent: string | null): Promise<ProbeTargets> {
  const made: string[] = []
  const make = async (parent: string) => {
    const folder = makeOwnFolder('probe', parent)
    made.push(folder)
    return realpath(folder)
  }
  const listener = createServer()
  let reached = false
  listener.on('connection', (socket) => {
    reached = true
    socket.destroy()
  })
  const dispose = async () => {
    listener.close()
    await Promise.all(made.map((folder) => rm(folder, { recursive: true, force: true })))
  }
  try {
    const root = await make(tmpdir())
    const inside = join(root, 'inside')
    await mkdir(inside)
    const outside = await make(await outsideTemporary(outsideParent))
    const secret = join(outside, 'secret')
    await writeFile(secret, secretText, { mode: 0o600 })
    const pipe = join(outside, 'pipe')
    await makeFifos([pipe])
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject)
      listener.listen(0, '127.0.0.1', resolve)
    })
    const address = listener.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const node = await shownNode(root)
    const wasWritten = async () => (await stat(join(outside, 'written')).catch(() => null)) !== null
    return {
      root,
      inside,
      outside,
      secret,
      secretText,
      port,
      pipe,
      node,
      wasReached: () => reached,
      wasWritten,
      [Symbol.asyncDispose]: dispose,
    }
  } catch (error) {
    await dispose()
    throw error
  }
}

/** Folders that a sandbox replaces by empty ones of its own. */
const replaced = ['/tmp', '/dev/shm']

/** Gives a Node in a replaced folder a second name in the root; a copy where a hard link is impossible. */
async function shownNode(root: string): Promise<string> {
  const path = process.execPath
  if (!replaced.some((top) => isWithin(path, top))) return path
  const shown = join(root, 'node')
  await link(path, shown).catch(() => copyFile(path, shown, constants.COPYFILE_FICLONE))
  return shown
}

async function outsideTemporary(wanted: string | null): Promise<string> {
  const temporary = [await realpath(tmpdir()), ...replaced]
  for (const folder of [wanted, '/var/tmp']) {
    const real = folder === null ? null : await realpath(folder).catch(() => null)
    if (real !== null && !temporary.some((top) => isWithin(real, top))) return real
  }
  return tmpdir()
}
