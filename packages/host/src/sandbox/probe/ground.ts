import { mkdir, mkdtemp, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isWithin } from '../is-within.ts'

/** What the probe is let loose on. */
export interface Ground extends AsyncDisposable {
  /** May be written to. */
  readonly root: string
  /** A folder in it: the partial sandbox lets nothing be made in the root itself. */
  readonly inside: string
  readonly outside: string
  readonly secret: string
  readonly secretText: string
  /** Where this process listens on the machine's loopback. */
  readonly port: number
  wasReached(): boolean
  /** Somebody wrote to `outside`, whatever the probe says. */
  wasWritten(): Promise<boolean>
}

const secretText = 'not for commands'

/** `besides`: a folder to use if there are no temporary files in it, which a sandbox may replace by its own. */
export async function makeGround(besides: string | null): Promise<Ground> {
  const made: string[] = []
  const make = async (parent: string) => {
    const folder = await mkdtemp(join(parent, 'parley-probe-'))
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
    const outside = await make(await besidesTemporary(besides))
    const secret = join(outside, 'secret')
    await writeFile(secret, secretText, { mode: 0o600 })
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject)
      listener.listen(0, '127.0.0.1', resolve)
    })
    const address = listener.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const wasWritten = async () => (await stat(join(outside, 'written')).catch(() => null)) !== null
    return {
      root,
      inside,
      outside,
      secret,
      secretText,
      port,
      wasReached: () => reached,
      wasWritten,
      [Symbol.asyncDispose]: dispose,
    }
  } catch (error) {
    await dispose()
    throw error
  }
}

async function besidesTemporary(wanted: string | null): Promise<string> {
  const temporary = [await realpath(tmpdir()), '/tmp', '/dev/shm']
  for (const folder of [wanted, '/var/tmp']) {
    const real = folder === null ? null : await realpath(folder).catch(() => null)
    if (real !== null && !temporary.some((top) => isWithin(real, top))) return real
  }
  return tmpdir()
}
