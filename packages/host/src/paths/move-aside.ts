import { isUtf8 } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import { closeSync, constants, mkdirSync, openSync, readdirSync, renameSync } from 'node:fs'
import { basename, dirname, relative } from 'node:path'
import { errorMessage } from '@parley/text'
import { openOwnAccess } from '../system/own-access.ts'
import { isWithin, lookAt } from '../system/real-path.ts'
import { placeOf, rememberFiles } from './remembered-files.ts'

/** Path that runs later and was changed while a command ran, and its fate. */
export interface Exchanged {
  /** Sentence for people and the model. */
  readonly text: string
  /** Present for a path that the command made; its place is free now. */
  readonly moved?: MovedAside
}

/** Limit of sentences about one kind of change by a command: they reach the log, the model and a question. */
const maxReports = 20

/** Returns the first sentences, and one about all others. */
export function limitReports(all: readonly Exchanged[]): readonly Exchanged[] {
  const others = all.slice(maxReports)
  if (others.length === 0) return all
  const count = others.filter(({ moved }) => moved !== undefined).length
  const text = `The same holds of ${others.length} more; ${count} of them were moved aside (names with .parley-aside-). Look at them first.`
  return [...all.slice(0, maxReports), { text }]
}

/** File or folder under another name in its folder. */
export interface MovedAside {
  readonly path: string
  readonly aside: string
}

/** Calls `use` with a name for a path that no link can divert. */
export function inFolder<Result>(path: string, roots: readonly string[], use: (name: string) => Result): Result {
  const root = roots.find((each) => isWithin(path, each))
  if (root === undefined) throw new Error('it lies in no writable folder')
  // Elsewhere descriptors have no names.
  if (process.platform !== 'linux') return use(path)
  // A command may have closed the folder to its user before it ended.
  using access = openOwnAccess(roots)
  access.open(dirname(path))
  const folder = openFolder(root, dirname(path))
  try {
    return use(`${descriptor(folder)}/${basename(path)}`)
  } finally {
    closeSync(folder)
  }
}

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** Opens a folder below a root part by part; moves links on the way aside and makes the folder in their place. */
function openFolder(root: string, folder: string): number {
  let fd = openSync(root, folderFlags)
  for (const part of relative(root, folder).split('/')) {
    if (part === '') continue
    const name = `${descriptor(fd)}/${part}`
    try {
      if (lookAt(name)?.isDirectory() === false) moveAside(name, part)
      if (lookAt(name) === null) mkdirSync(name)
      const next = openSync(name, folderFlags)
      closeSync(fd)
      fd = next
    } catch (error) {
      closeSync(fd)
      throw error
    }
  }
  return fd
}

/** Renames an entry within its folder. Returns its new path, for `path` as people know it. */
export function moveAside(name: string, path: string): string {
  const suffix = `.parley-aside-${randomBytes(4).toString('hex')}`
  renameSync(name, `${name}${suffix}`)
  return `${path}${suffix}`
}

function descriptor(fd: number): string {
  return `/proc/self/fd/${fd}`
}

/** Content of an entry that was moved aside, as it was at the time of the question about it. */
export interface AsideContent {
  /** All files, by their paths before the move. */
  readonly files: readonly AsideFile[]
  /** Moves it back. Returns why not: it is another one now, its place is taken, or a link is on the way. */
  putBack(roots: readonly string[]): string | null
}

interface AsideFile {
  readonly name: string
  readonly text: string
  readonly isExecutable: boolean
}

/**
 * Reads a file or folder that was moved aside. Returns a reason, as a sentence without its stop, where text cannot show
 * it in full.
 */
export function readAside(moved: MovedAside): AsideContent | string {
  const { path, aside } = moved
  const files = filesAside(moved)
  if (typeof files === 'string') return files
  return {
    files,
    putBack(roots) {
      if (lookAt(aside) === null) return 'it is gone'
      if (JSON.stringify(filesAside(moved)) !== JSON.stringify(files)) return 'it is not what was shown any more'
      try {
        return inFolder(aside, roots, (name) => {
          const place = `${dirname(name)}/${basename(path)}`
          if (lookAt(place) !== null) return 'its place is taken'
          renameSync(name, place)
          return null
        })
      } catch (error) {
        return errorMessage(error)
      }
    },
  }
}

/** Reads all files; a reason where one could be other than shown later, as through a link, or more is there. */
function filesAside({ path, aside }: MovedAside): readonly AsideFile[] | string {
  const found = rememberFiles(aside)
  const budget = { left: maxEntries }
  if (found === null) return `${path} holds too much to be shown`
  if (!holdsOnly(aside, new Set([...found.keys()].map((name) => placeOf(aside, name))), budget))
    return `${path} holds more than can be shown`
  const files: AsideFile[] = []
  for (const [below, { bytes, isLink, isShared, mode }] of found) {
    const name = placeOf(path, below)
    if (isLink) return `${name} is a link`
    if (isShared) return `${name} has further names`
    if (!isUtf8(bytes)) return `${name} is no text in UTF-8`
    files.push({ name, text: bytes.toString('utf8'), isExecutable: (mode & 0o111) !== 0 })
  }
  return files
}

const maxEntries = 300

/** Returns true for a file among `files`, and for a folder that holds only such files. */
function holdsOnly(path: string, files: ReadonlySet<string>, budget: { left: number }): boolean {
  if (lookAt(path)?.isDirectory() !== true) return files.has(path)
  try {
    const entries = readdirSync(path)
    budget.left -= entries.length
    return budget.left >= 0 && entries.every((name) => holdsOnly(`${path}/${name}`, files, budget))
  } catch {
    return false
  }
}
