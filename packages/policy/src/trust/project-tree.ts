import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, lstatSync, readdirSync, readSync, realpathSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { foreignOwner, openUnlocked } from '@parley/host'
import { errorCode, isMissing } from '@parley/text'
import { isProgram, liesWithin, systemErrorReason } from '@parley/workspace'

/**
 * Files that a project is read from: on this machine's disk, or fetched from another machine. All paths are absolute;
 * errors are the system's, with their `code`.
 */
export interface ProjectTree {
  /** Resolves links. Throws where nothing is there. */
  real(path: string): string
  /** Returns the entry at a path, without following a link there; null without an entry. */
  look(path: string): TreeEntry | null
  list(folder: string): readonly { readonly name: string; readonly kind: EntryKind }[]
  isProgram(path: string): boolean
  /**
   * Passes the bytes of a file below `root` to `visit` in chunks. Returns null, or the reason why it was not read:
   * `absent`, a link, no plain file, too large, or a system error.
   */
  visit(wanted: WantedFile, visit: (chunk: Buffer) => void): string | null
  /** Hashes a file below `root`; says the reason where it was not read. */
  hash(wanted: WantedFile): HashedFile
}

/** Folder of a project, or of a skill in it, with the tree that its files are read from. */
export interface RootedTree {
  readonly root: string
  readonly tree: ProjectTree
}

/** Paths that were found, or the reason why they could not be. */
export type FoundPaths = { readonly paths: readonly string[] } | { readonly problem: string }

/** SHA-256 of a file in hex. */
type HashedFile = { readonly hash: string; readonly sizeBytes: number } | { readonly problem: string }

export type EntryKind = 'file' | 'folder' | 'link' | 'other'

interface TreeEntry {
  readonly kind: EntryKind
  readonly sizeBytes: number
  /** Changes with each write to it, where that can be told. */
  readonly state: string
  /** User that owns it, unless it is the user of this process; else null. */
  readonly stranger: number | null
}

export interface WantedFile {
  readonly root: string
  readonly path: string
  readonly maxBytes: number
  /** True for a file that counts only if no other user owns it. */
  readonly mustBeOwn?: boolean
}

/** Says that a file is larger than it may be. */
export function tooLarge(maxBytes: number): string {
  return `it has more than ${maxBytes / 1024} KiB`
}

/** Files of this machine. Follows no link to a file and does not wait for pipes. */
export const diskTree: ProjectTree = {
  real: (path) => realpathSync(path),
  look(path) {
    const found = lstatSync(path, { throwIfNoEntry: false, bigint: true })
    if (found === undefined) return null
    const { dev, ino, size, mtimeNs, ctimeNs } = found
    return {
      kind: kindOf(found),
      sizeBytes: Number(size),
      state: [dev, ino, size, mtimeNs, ctimeNs].join(' '),
      stranger: foreignOwner(path, { uid: Number(found.uid) }),
    }
  },
  list: (folder) =>
    readdirSync(folder, { withFileTypes: true }).map((entry) => ({ name: entry.name, kind: kindOf(entry) })),
  isProgram,
  visit: visitPlainFile,
  hash: hashPlainFile,
}

function kindOf(found: Pick<Stats, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): EntryKind {
  if (found.isSymbolicLink()) return 'link'
  return found.isDirectory() ? 'folder' : found.isFile() ? 'file' : 'other'
}

function visitPlainFile(
  { root, path, maxBytes, mustBeOwn }: WantedFile,
  visit: (chunk: Buffer) => void,
): string | null {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  let file: number
  try {
    file = openUnlocked(join(root, path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    if (isMissing(error)) return 'absent'
    return errorCode(error) === 'ELOOP' ? 'it is a link' : systemErrorReason(error)
  }
  try {
    const facts = fstatSync(file)
    if (!facts.isFile()) return 'it is no file'
    const stranger = mustBeOwn === true ? foreignOwner(join(root, path), facts) : null
    if (stranger !== null) return `it belongs to user ${stranger}`
    if (!liesWithin(realpathSync(join(root, path)), realpathSync(root))) return 'it lies outside the project'
    return visitUpTo(file, maxBytes, visit) ? null : tooLarge(maxBytes)
  } catch (error) {
    return systemErrorReason(error)
  } finally {
    closeSync(file)
  }
}

function hashPlainFile(wanted: WantedFile): HashedFile {
  const hash = createHash('sha256')
  let sizeBytes = 0
  const problem = visitPlainFile(wanted, (chunk) => {
    sizeBytes += chunk.length
    hash.update(chunk)
  })
  return problem === null ? { hash: hash.digest('hex'), sizeBytes } : { problem }
}

const chunkBytes = 256 * 1024

/** Returns false for a file that has more bytes or grows beyond the limit while it is read. */
function visitUpTo(file: number, maxBytes: number, visit: (chunk: Buffer) => void): boolean {
  const chunk = Buffer.alloc(Math.min(chunkBytes, maxBytes + 1))
  for (let total = 0; ; ) {
    const count = readSync(file, chunk, 0, chunk.length, null)
    if (count === 0) return true
    total += count
    if (total > maxBytes) return false
    visit(chunk.subarray(0, count))
  }
}
