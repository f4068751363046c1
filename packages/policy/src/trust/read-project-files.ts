import { closeSync, constants, fstatSync, lstatSync, readSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { projectConfigPath } from '@parley/config'
import { openUnlocked } from '@parley/host'
import { isMissing, liesWithin, systemErrorCode, systemErrorReason } from '@parley/workspace'
import { projectFolderName } from './project-root.ts'

/** Configuration that people read before they trust it is short. */
const maxFileBytes = 64 * 1024

export const projectPolicyPath = `${projectFolderName}/policy.toml`

/** A file of a project as it was read: once, so that what is judged, hashed and used is the same. */
export interface ProjectFile {
  /** Relative to the root. */
  readonly path: string
  readonly text: string
}

export interface ProjectFiles {
  readonly files: readonly ProjectFile[]
  /** Why a file that is there was not read. */
  readonly problems: readonly string[]
}

/** Everything of a project that could take effect. No link is followed and nothing is waited for. */
export function readProjectFiles(root: string): ProjectFiles {
  const folder = lstatSync(join(root, projectFolderName), { throwIfNoEntry: false })
  if (folder === undefined) return { files: [], problems: [] }
  if (!folder.isDirectory())
    return { files: [], problems: [`${projectFolderName} is not read: it is no folder, and links are not followed.`] }
  const read = [projectConfigPath, projectPolicyPath].map((path) => ({
    path,
    ...readPlainFile(root, path, maxFileBytes),
  }))
  return {
    files: read.flatMap(({ path, bytes }) => (bytes === undefined ? [] : textFile(path, bytes))),
    problems: read.flatMap(({ path, bytes, problem }) => {
      if (problem !== undefined) return [`${path} is not read: ${problem}.`]
      return bytes === undefined || isText(bytes) ? [] : [`${path} is not read: it is not UTF-8.`]
    }),
  }
}

function textFile(path: string, bytes: Buffer): ProjectFile[] {
  return isText(bytes) ? [{ path, text: bytes.toString('utf8') }] : []
}

/** Text that is changed by reading would be another one than was hashed. */
function isText(bytes: Buffer): boolean {
  return bytes.equals(Buffer.from(bytes.toString('utf8')))
}

interface PlainFile {
  /** Neither this nor a problem: there is no such file. */
  readonly bytes?: Buffer
  readonly problem?: string
}

function readPlainFile(root: string, path: string, maxBytes: number): PlainFile {
  const chunks: Buffer[] = []
  const problem = visitPlainFile({ root, path, maxBytes }, (chunk) => chunks.push(Buffer.from(chunk)))
  return problem === null ? { bytes: Buffer.concat(chunks) } : problem === 'absent' ? {} : { problem }
}

interface Wanted {
  readonly root: string
  readonly path: string
  readonly maxBytes: number
}

/** All bytes of a file below `root` that is no link, no pipe and not too large; else why not, or that it is `absent`. */
export function visitPlainFile({ root, path, maxBytes }: Wanted, visit: (chunk: Buffer) => void): string | null {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  let file: number
  try {
    file = openUnlocked(join(root, path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    if (isMissing(error)) return 'absent'
    return systemErrorCode(error) === 'ELOOP' ? 'it is a link' : systemErrorReason(error)
  }
  try {
    if (!fstatSync(file).isFile()) return 'it is no file'
    if (!liesWithin(realpathSync(join(root, path)), realpathSync(root))) return 'it lies outside the project'
    return visitUpTo(file, maxBytes, visit) ? null : `it has more than ${maxBytes / 1024} KiB`
  } catch (error) {
    return systemErrorReason(error)
  } finally {
    closeSync(file)
  }
}

const chunkBytes = 256 * 1024

/** False for one that has more, or grows while it is read. */
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
