import { chmodSync, closeSync, constants, fstatSync, openSync } from 'node:fs'
import { isWithin } from './real-path.ts'

/** Access of this user to folders of their own that a command has closed. Disposing gives the folders their modes back. */
export interface OwnAccess extends Disposable {
  /** Opens a folder, and those on the way to it, for reading and writing. Returns true if that changed anything. */
  open(folder: string): boolean
}

const all = 0o700
/** Each of them holds a descriptor. */
const mostOpened = 500
const noLink = constants.O_NOFOLLOW | constants.O_DIRECTORY
/** Names a folder without the right to read it (`O_PATH` of Linux, which Node does not list). */
const byName = 0o10000000

/** Creates the access to folders within these, which stay as they are themselves where they belong to somebody else. */
export function openOwnAccess(roots: readonly string[]): OwnAccess {
  const opened: { readonly fd: number; readonly mode: number }[] = []

  function openOne(folder: string): boolean {
    if (opened.length >= mostOpened) return false
    const fd = openSync(folder, noLink | byName)
    const { mode, uid } = fstatSync(fd)
    if (uid !== process.geteuid?.() || (mode & all) === all) {
      closeSync(fd)
      return false
    }
    chmodSync(nameOf(fd), (mode & 0o7777) | all)
    opened.push({ fd, mode: mode & 0o7777 })
    return true
  }

  return {
    open(folder) {
      const root = roots.find((one) => isWithin(folder, one))
      if (root === undefined || process.platform !== 'linux') return false
      let isChanged = false
      try {
        for (const path of pathsTo(folder, root)) if (openOne(path)) isChanged = true
      } catch {
        // Gone, a link by now, or in a folder of somebody else: the look itself says what it cannot read.
      }
      return isChanged
    },
    [Symbol.dispose]() {
      for (const { fd, mode } of opened.splice(0).reverse()) {
        try {
          chmodSync(nameOf(fd), mode)
        } catch {
          // Removed meanwhile.
        }
        closeSync(fd)
      }
    },
  }
}

/** Returns a root and the folders on the way to one below it, in this order. */
function pathsTo(folder: string, root: string): readonly string[] {
  const names = folder.slice(root.length).split('/').filter(Boolean)
  return [root, ...names.map((_, nth) => `${root}/${names.slice(0, nth + 1).join('/')}`)]
}

function nameOf(fd: number): string {
  return `/proc/self/fd/${fd}`
}
