import { randomBytes } from 'node:crypto'
import { closeSync, constants, mkdirSync, openSync, renameSync } from 'node:fs'
import { basename, dirname, relative } from 'node:path'
import { isWithin, lookAt } from '../system/real-path.ts'

/** Path that runs later and was changed while a command ran, and its fate. */
export interface Exchanged {
  /** Sentence for people and the model. */
  readonly text: string
  /** Present for a path that the command made, and whose place is free now. */
  readonly moved?: MovedAside
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

/** Renames what is at a name in its folder. Returns its new path, for `path` as people know it. */
export function moveAside(name: string, path: string): string {
  const suffix = `.parley-aside-${randomBytes(4).toString('hex')}`
  renameSync(name, `${name}${suffix}`)
  return `${path}${suffix}`
}

function descriptor(fd: number): string {
  return `/proc/self/fd/${fd}`
}
