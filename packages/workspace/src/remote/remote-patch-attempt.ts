import { dirname } from 'node:path'
import { succeeds } from '../files/errors.ts'
import { contentHash } from '../patch/file-plan.ts'
import type { OldFile, PatchAttempt, PatchTarget } from '../patch/patch-files.ts'
import type { Link } from './link.ts'
import { askFiles } from './remote-files.ts'

interface Staged {
  readonly bytes: Uint8Array
  /** Of the file whose content it takes over; a new file gets what new files get there. */
  readonly mode: number | null
}

/** One file written or removed, and what puts it back. */
interface Done {
  readonly path: string
  readonly was: OldFile | null
  /** Null: it was removed. */
  readonly isNow: Uint8Array | null
}

/**
 * One attempt on the far machine. Nothing is written while staging: the exec-server writes each file beside its target
 * and renames it, and refuses where the file is not the expected one. So a request whose answer was lost can be made
 * again: it finds its own work done.
 */
export function beginRemoteAttempt(link: Pick<Link, 'ask'>, target: PatchTarget): PatchAttempt {
  const staged = new Map<string, Staged>()
  const createdFolders: string[] = []
  const done: Done[] = []

  function taken(name: string): Staged {
    const content = staged.get(name)
    if (content === undefined) throw new Error('nothing is staged under this name')
    return content
  }

  async function write(path: string, was: OldFile | null, { bytes, mode }: Staged): Promise<void> {
    done.push({ path, was, isNow: bytes })
    await writeThere(link, target, { path, bytes, mode, expected: was?.bytes ?? null })
  }

  return {
    async stage(path, bytes, like) {
      for (const folder of await missingFolders(target, path)) {
        await askFiles(link, 'fs/createDirectory', { path: folder, recursive: true, followLinks: false })
        createdFolders.push(folder)
      }
      const name = `${path}#${staged.size}`
      staged.set(name, { bytes, mode: like?.mode ?? null })
      return name
    },
    create: (name, path) => write(path, null, taken(name)),
    replace: (name, path, old) => write(path, old, taken(name)),
    async remove(path, old) {
      done.push({ path, was: old, isNow: null })
      await removeThere(link, target, { path, expected: old.bytes })
    },
    async rollBack() {
      const stuck: string[] = []
      for (const step of done.toReversed()) {
        if (!(await succeeds(() => undo(link, target, step)))) stuck.push(stuckMessage(step))
      }
      for (const folder of createdFolders.toReversed()) {
        await succeeds(() => askFiles(link, 'fs/remove', { path: folder, followLinks: false }))
      }
      return stuck
    },
    conclude: () => Promise.resolve([]),
  }
}

async function undo(link: Pick<Link, 'ask'>, target: PatchTarget, { path, was, isNow }: Done): Promise<void> {
  // The step had not come to anything.
  if (await holds(target, path, was?.bytes ?? null)) return
  if (was === null) await removeThere(link, target, { path, expected: isNow ?? new Uint8Array() })
  else await writeThere(link, target, { path, bytes: was.bytes, mode: was.stat?.mode ?? null, expected: isNow })
}

interface Write {
  readonly path: string
  readonly bytes: Uint8Array
  readonly mode: number | null
  /** Null: there must be no file. */
  readonly expected: Uint8Array | null
}

async function writeThere(
  link: Pick<Link, 'ask'>,
  target: PatchTarget,
  { path, bytes, mode, expected }: Write,
): Promise<void> {
  try {
    await askFiles(link, 'fs/writeFile', {
      path,
      dataBase64: Buffer.from(bytes).toString('base64'),
      expectedHash: expected === null ? null : contentHash(expected),
      mode,
      followLinks: false,
    })
  } catch (error) {
    if (!(await holds(target, path, bytes))) throw error
  }
}

interface Removal {
  readonly path: string
  readonly expected: Uint8Array
}

async function removeThere(link: Pick<Link, 'ask'>, target: PatchTarget, { path, expected }: Removal): Promise<void> {
  if (await holds(target, path, null)) return
  if (!(await holds(target, path, expected))) throw new Error('it was changed meanwhile')
  await askFiles(link, 'fs/remove', { path, force: true, followLinks: false })
}

/** Whether a path has exactly this content; null: nothing. */
async function holds(target: PatchTarget, path: string, content: Uint8Array | null): Promise<boolean> {
  const found = await target.stat(path)
  if (found === null || content === null) return found === null && content === null
  return found.kind === 'file' && contentHash(await target.readFile(path)) === contentHash(content)
}

function stuckMessage({ path, was }: Done): string {
  return was === null
    ? `${path} was created and could not be removed again.`
    : `${path} could not be put back to what it was.`
}

/** The folders above `path` that are not there, the outermost first. */
async function missingFolders(target: PatchTarget, path: string): Promise<string[]> {
  const folder = dirname(path)
  if (folder === path || (await target.stat(folder)) !== null) return []
  return [...(await missingFolders(target, folder)), folder]
}
