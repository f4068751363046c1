import { dirname } from 'node:path'
import { isMissing } from '@parley/text'
import type { EnvironmentFiles } from '../files/environment-files.ts'
import { succeeds } from '../files/errors.ts'
import { contentHash } from '../patch/file-plan.ts'
import { contentAt, type FileStat, type OldFile, type PatchAttempt, type PatchTarget } from '../patch/patch-files.ts'
import { maxPatchedBytes } from '../patch/plan/planned-files.ts'
import type { ExecLink } from './link.ts'
import { askFiles, maxReadBytes } from './remote-files.ts'

const mayWrite = 0o222

/** Applies patches on the remote machine. The exec-server replaces each file whole, and only if it is unchanged since planning. */
export function remotePatches(link: Pick<ExecLink, 'ask'>, files: EnvironmentFiles): PatchTarget {
  const target: PatchTarget = {
    realPath: files.realPath,
    stat: (path) => remoteStat(link, path),
    readFile: (path) => readWhole(link, path),
    async readLink(path) {
      const { linkTarget } = await askFiles(link, 'fs/getMetadata', { path })
      if (typeof linkTarget !== 'string') throw new Error('its exec-server does not say where the link leads')
      return linkTarget
    },
    async list(path) {
      try {
        return (await files.list(path, Number.POSITIVE_INFINITY)).entries.map(({ name }) => name)
      } catch (error) {
        if (isMissing(error)) return []
        throw error
      }
    },
    begin: () => beginRemoteAttempt(link, target),
    // The exec-server removes its own temporary files.
    removeStrays: () => Promise.resolve(),
  }
  return target
}

async function remoteStat(link: Pick<ExecLink, 'ask'>, path: string): Promise<FileStat | null> {
  try {
    const found = await askFiles(link, 'fs/getMetadata', { path })
    const { isSymlink, isFile, isDirectory, size, mode, createdAtMs, modifiedAtMs, linkTarget } = found
    const kind = isSymlink ? 'link' : isFile ? 'file' : isDirectory ? 'folder' : 'other'
    // Size and times describe the target of a link, which may change while the link does not.
    const stamp = isSymlink ? `link to ${linkTarget}` : `${createdAtMs}:${size}:${modifiedAtMs}`
    return { kind, sizeBytes: size, mode: mode & 0o7777, owner: null, writable: (mode & mayWrite) !== 0, stamp }
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Reads a file in chunks of `maxReadBytes`. A change between chunks is found by the comparison before writing. */
async function readWhole(link: Pick<ExecLink, 'ask'>, path: string): Promise<Uint8Array> {
  const pieces: Buffer[] = []
  for (let offset = 0; ; ) {
    const { dataBase64, eof } = await askFiles(link, 'fs/readFile', { path, offset, length: maxReadBytes })
    const piece = Buffer.from(dataBase64, 'base64')
    pieces.push(piece)
    offset += piece.length
    // The size from `fs/getMetadata` may be wrong.
    if (offset > maxPatchedBytes) throw new Error('it is longer than its exec-server said')
    if (eof || piece.length === 0) return Buffer.concat(pieces)
  }
}

interface Staged {
  readonly bytes: Uint8Array
  /** Mode of the replaced file; null for a new file, which gets the remote default. */
  readonly mode: number | null
}

/** File written or removed, with the data needed to undo it. */
interface DoneStep {
  readonly path: string
  readonly was: OldFile | null
  /** Content written; null when the file was removed. */
  readonly isNow: Uint8Array | null
}

/**
 * Starts one attempt to apply a patch on the remote machine. Contents are staged in memory. The exec-server rejects a
 * write if the file is not the expected one, so a request without an answer can be repeated.
 */
function beginRemoteAttempt(link: Pick<ExecLink, 'ask'>, target: PatchTarget): PatchAttempt {
  const staged = new Map<string, Staged>()
  const createdFolders: string[] = []
  const done: DoneStep[] = []

  function stagedContent(name: string): Staged {
    const content = staged.get(name)
    if (content === undefined) throw new Error('nothing is staged under this name')
    return content
  }

  async function write(path: string, was: OldFile | null, { bytes, mode }: Staged): Promise<void> {
    done.push({ path, was, isNow: bytes })
    await writeRemote(link, target, { path, bytes, mode, expected: was?.bytes ?? null })
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
    stageLink: () => Promise.reject(new Error('an exec-server makes no links')),
    create: (name, path) => write(path, null, stagedContent(name)),
    replace: (name, path, old) => write(path, old, stagedContent(name)),
    async remove(path, old) {
      done.push({ path, was: old, isNow: null })
      await removeRemote(link, target, { path, expected: old.bytes, isLink: isLink(old) })
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

async function undo(link: Pick<ExecLink, 'ask'>, target: PatchTarget, { path, was, isNow }: DoneStep): Promise<void> {
  // The step failed without effect.
  if (await hasContent(target, path, was?.bytes ?? null, isLink(was))) return
  if (isLink(was)) throw new Error('an exec-server makes no links')
  if (was === null) await removeRemote(link, target, { path, expected: isNow ?? new Uint8Array(), isLink: false })
  else await writeRemote(link, target, { path, bytes: was.bytes, mode: was.stat?.mode ?? null, expected: isNow })
}

function isLink(old: OldFile | null): boolean {
  return old?.stat?.kind === 'link'
}

interface Write {
  readonly path: string
  readonly bytes: Uint8Array
  readonly mode: number | null
  /** Content that the file must have; null when it must not exist. */
  readonly expected: Uint8Array | null
}

async function writeRemote(
  link: Pick<ExecLink, 'ask'>,
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
    if (!(await hasContent(target, path, bytes))) throw error
  }
}

async function removeRemote(
  link: Pick<ExecLink, 'ask'>,
  target: PatchTarget,
  { path, expected, isLink }: { readonly path: string; readonly expected: Uint8Array; readonly isLink: boolean },
): Promise<void> {
  if (await hasContent(target, path, null)) return
  if (!(await hasContent(target, path, expected, isLink))) throw new Error('it was changed meanwhile')
  await askFiles(link, 'fs/remove', { path, force: true, followLinks: false })
}

/** Returns true when the file, or the link, has exactly this content; null means a missing file. */
async function hasContent(
  target: PatchTarget,
  path: string,
  content: Uint8Array | null,
  isLink = false,
): Promise<boolean> {
  const found = await target.stat(path)
  if (found === null || content === null) return found === null && content === null
  if (found.kind !== (isLink ? 'link' : 'file')) return false
  return contentHash(await contentAt(path, found, target)) === contentHash(content)
}

function stuckMessage({ path, was }: DoneStep): string {
  return was === null
    ? `${path} was created and could not be removed again.`
    : `${path} could not be put back to what it was.`
}

/** Lists the missing folders above `path`, outermost first. */
async function missingFolders(target: PatchTarget, path: string): Promise<string[]> {
  const folder = dirname(path)
  if (folder === path || (await target.stat(folder)) !== null) return []
  return [...(await missingFolders(target, folder)), folder]
}
