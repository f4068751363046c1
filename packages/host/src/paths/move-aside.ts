import { randomBytes } from 'node:crypto'
import { closeSync, constants, mkdirSync, openSync, renameSync } from 'node:fs'
import { basename, dirname, relative } from 'node:path'
import { errorMessage } from '@parley/text'
import { openOwnAccess } from '../system/own-access.ts'
import { isWithin, lookAt } from '../system/real-path.ts'
import { differingFiles, placeOf, rememberFiles } from './remembered-files.ts'

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

/** Renames what is at a name in its folder. Returns its new path, for `path` as people know it. */
export function moveAside(name: string, path: string): string {
  const suffix = `.parley-aside-${randomBytes(4).toString('hex')}`
  renameSync(name, `${name}${suffix}`)
  return `${path}${suffix}`
}

function descriptor(fd: number): string {
  return `/proc/self/fd/${fd}`
}

/** Content of what lies aside, as it was when somebody was asked about it. */
export interface AsideContent {
  /** Files and links, by their paths before the move. The bytes of a link are its target. */
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[]
  /** Moves it back. Returns why not: it is another one now, its place is taken, or a link is on the way. */
  putBack(roots: readonly string[]): string | null
}

/** Reads what was moved aside; null where that is too much to be shown. */
export function readAside({ path, aside }: MovedAside): AsideContent | null {
  const before = rememberFiles(aside)
  if (before === null) return null
  return {
    files: [...before].map(([name, { bytes }]) => ({ name: placeOf(path, name), bytes })),
    putBack(roots) {
      if (lookAt(aside) === null) return 'it is gone'
      if (differingFiles(aside, before).length > 0) return 'it is not what was shown any more'
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
