import { followLinks, identityOf, lookAt } from '../system/real-path.ts'

export interface FoldersNow {
  readonly real: readonly string[]
  readonly changed: readonly string[]
  /** Device and inode of each of the real paths that is there, as it was pinned; absent where they are not known. */
  readonly identities?: ReadonlyMap<string, string>
}

interface Pin {
  readonly real: string
  /** Identity of the folder; null for one that was missing, which is pinned when it is there. */
  identity: string | null
}

/**
 * Returns a function that resolves the absolute paths of one conversation's writable folders to real paths, in their
 * order. Pins a folder at its first use. Leaves out, with a sentence in `changed`, a folder that was exchanged, or a
 * path that leads elsewhere now.
 */
export function pinFolders(): (folders: readonly string[]) => FoldersNow {
  const pins = new Map<string, Pin>()
  const pinned = (folder: string): Pin => {
    const known = pins.get(folder)
    if (known !== undefined) return known
    const { real } = followLinks(folder)
    const made = { real, identity: folderIdentity(real) }
    pins.set(folder, made)
    return made
  }
  return (folders) => {
    const checked = folders.map((folder) => ({ folder, pin: pinned(folder), isSame: isSame(folder, pinned(folder)) }))
    return {
      real: checked.flatMap(({ pin, isSame: same }) => (same ? [pin.real] : [])),
      changed: checked.flatMap(({ folder, isSame: same }) => (same ? [] : [exchangedFolderText(folder)])),
      identities: new Map(checked.flatMap(({ pin }) => (pin.identity === null ? [] : [[pin.real, pin.identity]]))),
    }
  }
}

function isSame(folder: string, pin: Pin): boolean {
  if (followLinks(folder).real !== pin.real) return false
  const identity = folderIdentity(pin.real)
  // Removed folders count as they did: nothing can be written to them.
  if (identity === null) return lookAt(pin.real) === null
  pin.identity ??= identity
  return pin.identity === identity
}

function folderIdentity(path: string): string | null {
  return lookAt(path)?.isDirectory() === true ? identityOf(path) : null
}

/** Explains that a folder was exchanged while a conversation was open. */
export function exchangedFolderText(folder: string): string {
  return `${folder} is not the folder that it was when this conversation opened, so nothing may be written there. Close the conversation and open it again to work in the new one.`
}
