import { type Dirent, readdirSync } from 'node:fs'
import { orNull } from '@parley/text'

/** Returns the entries of a folder; null where it cannot be listed. */
export function entriesIn(folder: string): Dirent[] | null {
  return orNull(() => readdirSync(folder, { withFileTypes: true }))
}

/** Returns the names in a folder; null where it cannot be listed, although its content may be reachable. */
export function namesIn(folder: string): string[] | null {
  return orNull(() => readdirSync(folder))
}

/** Returns the entries of a folder, which `open` opens to its user where it is closed; null where it cannot be listed. */
export function entriesOpened(folder: string, open: (folder: string) => boolean): Dirent[] | null {
  return entriesIn(folder) ?? (open(folder) ? entriesIn(folder) : null)
}
