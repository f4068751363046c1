import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { errorCodes, RpcError } from '@parley/rpc'
import { diskPatchFiles, type FileStat, openRealFile, refusesLinks } from '@parley/workspace'
import { fileFailure } from './file-failure.ts'
import { createStrayRemover, freshName } from './fresh-files.ts'
import type { Reach } from './reach.ts'

export interface FileContent {
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
