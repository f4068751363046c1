import { closeSync, constants, fstatSync, lstatSync, readSync, realpathSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { projectConfigPath } from '@parley/config'
import { foreignOwner, openUnlocked } from '@parley/host'
import { isMissing, liesWithin, systemErrorCode, systemErrorReason } from '@parley/workspace'
import { projectFolderName } from './project-root.ts'

/** Limit for configuration, which the user reads before trusting it. */
const maxFileBytes = 64 * 1024

export const projectPolicyPath = `${projectFolderName}/policy.toml`

/** File of a project. Read once, so that the judged, hashed and used content is the same. */
export interface ProjectFile {
  /** Path relative to the root. */
  readonly path: string
  readonly text: string
}

export interface ProjectFiles {
  readonly files: readonly ProjectFile[]
  /** Reasons why existing files were not read. */
  readonly problems: readonly string[]
}

/** Reads the configuration files of a project. Follows no link and does not wait for pipes. */
export function readProjectFiles(root: string): ProjectFiles {
  const folder = lookAt(join(root, projectFolderName))
  if (folder === undefined) return { files: [], problems: [] }
  if (typeof folder === 'string') return { files: [], problems: [`${projectFolderName} is not read: ${folder}.`] }
  const stranger = foreignOwner(join(root, projectFolderName), folder)
  if (stranger !== null)
    return { files: [], problems: [`${projectFolderName} is not read: it belongs to user ${stranger}.`] }
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

/** Returns the reason why a path cannot be looked at; undefined when nothing is there. */
function lookAt(path: string): Stats | string | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    return systemErrorReason(error)
  }
}

function textFile(path: string, bytes: Buffer): ProjectFile[] {
  return isText(bytes) ? [{ path, text: bytes.toString('utf8') }] : []
}

/** Returns whether decoding keeps every byte, since the used text must be the hashed one. */
function isText(bytes: Buffer): boolean {
  return bytes.equals(Buffer.from(bytes.toString('utf8')))
}

interface PlainFile {
  /** Content; absent, as `problem` is, when there is no such file. */
  readonly bytes?: Buffer
  readonly problem?: string
}

function readPlainFile(root: string, path: string, maxBytes: number): PlainFile {
  const chunks: Buffer[] = []
  const problem = visitPlainFile({ root, path, maxBytes, mustBeOwn: true }, (chunk) => chunks.push(Buffer.from(chunk)))
  return problem === null ? { bytes: Buffer.concat(chunks) } : problem === 'absent' ? {} : { problem }
}

/** Reads a text file below `root` by the rules of `visitPlainFile`. */
export function readPlainText(
  root: string,
  path: string,
  maxBytes: number,
): { readonly text: string } | { readonly problem: string } {
  const { bytes, problem = 'it is gone' } = readPlainFile(root, path, maxBytes)
  if (bytes === undefined) return { problem }
  return isText(bytes) ? { text: bytes.toString('utf8') } : { problem: 'it is not UTF-8' }
}

interface WantedFile {
  readonly root: string
  readonly path: string
  readonly maxBytes: number
  /** True for a file that counts only if no other user owns it. */
  readonly mustBeOwn?: boolean
}

/**
 * Passes the bytes of a file below `root` to `visit` in chunks. Returns null, or the reason why it was not read: `absent`,
 * a link, no plain file, too large, or a system error.
 */
export function visitPlainFile(
  { root, path, maxBytes, mustBeOwn }: WantedFile,
  visit: (chunk: Buffer) => void,
): string | null {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  let file: number
  try {
    file = openUnlocked(join(root, path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    if (isMissing(error)) return 'absent'
    return systemErrorCode(error) === 'ELOOP' ? 'it is a link' : systemErrorReason(error)
  }
  try {
    const facts = fstatSync(file)
    if (!facts.isFile()) return 'it is no file'
    const stranger = mustBeOwn === true ? foreignOwner(join(root, path), facts) : null
    if (stranger !== null) return `it belongs to user ${stranger}`
    if (!liesWithin(realpathSync(join(root, path)), realpathSync(root))) return 'it lies outside the project'
    return visitUpTo(file, maxBytes, visit) ? null : `it has more than ${maxBytes / 1024} KiB`
  } catch (error) {
    return systemErrorReason(error)
  } finally {
    closeSync(file)
  }
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
