import { chmodSync, closeSync, constants, fstatSync, openSync } from 'node:fs'
import { isWithin } from './real-path.ts'

/** Access of this user to folders of their own that a command has closed. Disposing gives the folders their modes back. */
export interface OwnAccess extends Disposable {
  /** Opens a folder, and the folders on the way to it, for reading and writing. Returns true if that changed a mode. */
  open(folder: string): boolean
}

const all = 0o700
/** Each of them holds a descriptor. */
const mostOpened = 500
const noLink = constants.O_NOFOLLOW | constants.O_DIRECTORY
/** Names a folder without the right to read it (`O_PATH` of Linux, which Node does not list). */
const byName = 0o10000000

/**
 * Creates the access to folders within these. The roots themselves stay as they are where they belong to another user.
 */
export function openOwnAccess(roots: readonly string[]): OwnAccess {
  const opened: { readonly fd: number; readonly mode: number }[] = []

  /** Opens the folder of a descriptor. Returns true where it was closed; then the descriptor is kept. */
  function openUp(fd: number): boolean {
    const { mode, uid } = fstatSync(fd)
    if (uid !== process.geteuid?.() || (mode & all) === all || opened.length >= mostOpened) return false
    chmodSync(nameOf(fd), (mode & 0o7777) | all)
    opened.push({ fd, mode: mode & 0o7777 })
    return true
  }

  /** Opens the folders on a way one from the other, so that no link can be put in their place. */
  function openAlong(names: readonly string[]): boolean {
    let isChanged = false
    let above: number | null = null
    try {
      for (const name of names) {
        const fd: number = openSync(above === null ? name : `${nameOf(above)}/${name}`, noLink | byName)
        closeUnlessKept(above)
        above = fd
        if (openUp(fd)) isChanged = true
      }
    } catch {
      // Gone, a link by now, or in another user's folder: the caller reports folders that it cannot read.
    }
    closeUnlessKept(above)
    return isChanged
  }

  function closeUnlessKept(fd: number | null): void {
    if (fd !== null && !opened.some((one) => one.fd === fd)) closeSync(fd)
  }

  return {
    open(folder) {
      const root = roots.find((one) => isWithin(folder, one))
      if (root === undefined || process.platform !== 'linux') return false
      return openAlong([root, ...folder.slice(root.length).split('/').filter(Boolean)])
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

function nameOf(fd: number): string {
  return `/proc/self/fd/${fd}`
}
