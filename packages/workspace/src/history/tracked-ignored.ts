import { constants, fstatSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { gitFoldersOf, withUnlocked } from '@parley/host'
import { orNull } from '@parley/text'
import { readIndexNames } from '../look-up/index-names.ts'
import { readAll } from './content-store.ts'
import { lookAt, repositoryOf, stampOf } from './list-folder.ts'

/** Size limit for reading an index: beyond it, it lists more files than are watched. */
const maxIndexBytes = 16 * 1024 * 1024

/** Files below some folders that git tracks although a rule names them: git does not ignore them. */
export interface TrackedIgnored {
  /** Paths that were found by the last look; some may be gone. */
  readonly paths: ReadonlySet<string>
  /**
   * Looks again where an index has changed. Returns true when git tracks some of them no more.
   * @param isListed Tests if a file is found without this.
   */
  look(isListed: (path: string) => boolean): boolean
}

interface Root {
  readonly folder: string
  /** Changes with the index; null for one that may have changed. */
  stamp: string | null
  paths: ReadonlySet<string>
}

export function createTrackedIgnored(folders: readonly string[]): TrackedIgnored {
  const roots = folders.map((folder): Root => ({ folder, stamp: null, paths: new Set() }))
  let paths: ReadonlySet<string> = new Set()
  return {
    get paths() {
      return paths
    },
    look(isListed) {
      const before = paths
      const changed = roots.filter((root) => lookAtIndex(root, isListed))
      if (changed.length > 0) paths = new Set(roots.flatMap((root) => [...root.paths]))
      return [...before].some((path) => !paths.has(path))
    },
  }
}

/** Reads the index of a root's repository where it has changed. Returns true when it was read. */
function lookAtIndex(root: Root, isListed: (path: string) => boolean): boolean {
  const top = repositoryOf(root.folder)
  const index = indexOf(top)
  const stats = index === null ? null : lookAt(index)
  const stamp = stats === null ? 'none' : stampOf(stats)
  if (stamp !== null && stamp === root.stamp) return false
  const names = index === null || stats?.isFile() !== true ? [] : namesIn(index)
  const paths = names.map((name) => `${top}/${name}`).filter((path) => path.startsWith(`${root.folder}/`))
  root.stamp = stamp
  root.paths = new Set(paths.filter((path) => root.paths.has(path) || (!isListed(path) && isPlainFile(path))))
  return true
}

function indexOf(top: string): string | null {
  const found = orNull(() => gitFoldersOf(`${top}/.git`))
  return found === null ? null : `${found.own}/index`
}

function namesIn(index: string): readonly string[] {
  const read = (file: number) => {
    const { size } = fstatSync(file)
    return size > maxIndexBytes ? null : readIndexNames(readAll(file, size))
  }
  return orNull(() => withUnlocked(index, constants.O_RDONLY | constants.O_NONBLOCK, read)) ?? []
}

/** Tests if a file is there, and no folder on its way is a link. */
function isPlainFile(path: string): boolean {
  return orNull(() => lookAt(path)?.isFile() === true && realpathSync(dirname(path)) === dirname(path)) ?? false
}
