import { createHash } from 'node:crypto'
import { stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createMark, isOwnerAlive, parseMark } from '@parley/host'
import { errorCodes, RpcError } from '@parley/rpc'
import { diskPatchFiles, type FileStat, openRealFile, refusesLinks, succeeds } from '@parley/workspace'
import { fileFailure } from '../exec-errors.ts'
import type { Reach } from '../sandbox/file-limits.ts'

interface FileContent {
  readonly bytes: Buffer
  /** SHA-256 of what it replaces; null: there must be nothing; undefined: whatever is there. */
  readonly expectedHash: string | null | undefined
  /** Null: of what it replaces. */
  readonly mode: number | null
}

const files = diskPatchFiles
const removeStrays = createStrayRemover()

/** The whole content or none of it, with the mode and owner of what it replaces. Returns its SHA-256. */
export async function replaceFile({ path, exact }: Reach, content: FileContent): Promise<string> {
  const { bytes, expectedHash, mode } = content
  const target = exact ? path : await files.realPath(path)
  const before = await files.stat(target)
  if (before !== null && before.kind !== 'file') throw notReplaceable(path, before.kind)
  const fresh = join(dirname(target), freshName())
  try {
    await files.writeTemp(fresh, bytes, likeness(before, mode))
    // As late as can be: what happens to the file between this and the rename is not seen.
    await assertHash(target, await files.stat(target), expectedHash)
    await putInPlace(fresh, target, expectedHash === null)
  } catch (error) {
    await files.unlink(fresh).catch(() => undefined)
    throw error
  }
  await files.syncFolder(dirname(target))
  await removeStrays(dirname(target)).catch(() => undefined)
  return createHash('sha256').update(bytes).digest('hex')
}

/** A link fails where there is a file by now, a rename would replace it; where there are no links, the look before must do. */
async function putInPlace(fresh: string, target: string, mustBeNew: boolean): Promise<void> {
  if (!mustBeNew) return files.rename(fresh, target)
  try {
    await files.link(fresh, target)
  } catch (error) {
    if (!refusesLinks(error)) throw error
    return files.rename(fresh, target)
  }
  await files.unlink(fresh)
}

function likeness(before: FileStat | null, mode: number | null): FileStat | null {
  if (mode === null) return before
  return { kind: 'file', sizeBytes: 0, owner: null, writable: true, stamp: '', ...before, mode }
}

async function assertHash(target: string, now: FileStat | null, expected: string | null | undefined): Promise<void> {
  if (expected === undefined) return
  const actualHash = now === null ? null : await hashOf(target)
  if (actualHash === expected) return
  const message = actualHash === null ? 'there is no such file any more' : 'it is not what it was'
  throw new RpcError(errorCodes.invalidRequest, `${target}: ${message}`, { code: 'hashMismatch', actualHash })
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await using file = await openRealFile(path)
  for await (const chunk of file.createReadStream({ autoClose: false })) hash.update(chunk)
  return hash.digest('hex')
}

function notReplaceable(path: string, kind: FileStat['kind']): RpcError {
  if (kind === 'folder') return fileFailure('EISDIR', path, 'it is a folder')
  return kind === 'link'
    ? fileFailure('ELOOP', path, 'the path now leads somewhere else')
    : fileFailure('EINVAL', path, 'it is not a regular file')
}

const prefix = '.parley-'
/** An owner in another container, or on another machine that shares the folder, looks dead from here. */
const youngMs = 60_000
const lookAgainMs = 60_000
const rememberedFolders = 1000

/** A name for what is written beside a file, of any length, and then takes its place. It tells whose it is. */
function freshName(): string {
  return `${prefix}${createMark()}`
}

/** Removes, now and then, what a killed exec-server left in a folder. */
function createStrayRemover(): (folder: string) => Promise<void> {
  const lookedAtMs = new Map<string, number>()
  return async (folder) => {
    const nowMs = performance.now()
    if (nowMs - (lookedAtMs.get(folder) ?? Number.NEGATIVE_INFINITY) < lookAgainMs) return
    if (lookedAtMs.size >= rememberedFolders) lookedAtMs.clear()
    lookedAtMs.set(folder, nowMs)
    for (const name of await diskPatchFiles.list(folder)) {
      const path = join(folder, name)
      if (isOwnerless(name) && (await isOld(path))) await succeeds(() => unlink(path))
    }
  }
}

function isOwnerless(name: string): boolean {
  const owner = name.startsWith(prefix) ? parseMark(name.slice(prefix.length)) : null
  return owner !== null && !isOwnerAlive(owner)
}

async function isOld(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  return found?.isFile() === true && Date.now() - found.mtimeMs > youngMs
}
