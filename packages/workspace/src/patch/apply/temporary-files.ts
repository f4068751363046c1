import { dirname, join } from 'node:path'
import { isMissing, succeeds } from '../../files/errors.ts'
import type { FileStat, PatchFiles } from '../patch-files.ts'

/** Temporary files of one attempt, each in the folder of its target. */
export interface TemporaryFiles {
  /** Returns an unused path in the folder of `target`. */
  nameFor(target: string): string
  write(target: string, bytes: Uint8Array, like: FileStat | null): Promise<string>
  /** Adds a path to those that `discard` removes. */
  own(path: string): void
  /** Takes a path out of those that `discard` removes. */
  disown(path: string): void
  /** Removes all owned files. Returns those that could not be removed. */
  discard(): Promise<string[]>
}

export function openTemporaryFiles(files: PatchFiles, tag: string): TemporaryFiles {
  const owned = new Set<string>()
  let count = 0
  const nameFor = (target: string): string => {
    const path = join(dirname(target), strayName(tag, count))
    count += 1
    return path
  }
  return {
    nameFor,
    async write(target, bytes, like) {
      const path = nameFor(target)
      // Owned before the write, because a failed write may leave a partial file.
      owned.add(path)
      await files.writeTemp(path, bytes, like)
      return path
    },
    own: (path) => void owned.add(path),
    disown: (path) => void owned.delete(path),
    async discard() {
      const left: string[] = []
      for (const path of owned) if (!(await succeeds(() => removeIfThere(path, files)))) left.push(path)
      return left
    },
  }
}

/** Names a temporary file by its attempt, so that a later run can find it. `tag` consists of letters, digits, `-` and `_`. */
function strayName(tag: string, number: number): string {
  return `.parley-${tag}-${number}.tmp`
}

/** Removes temporary files of an interrupted attempt from the folders of these real paths. Returns the removed paths. */
export async function removeStrays(tag: string, paths: readonly string[], files: PatchFiles): Promise<string[]> {
  const removed: string[] = []
  for (const folder of new Set(paths.map((path) => dirname(path)))) {
    for (const name of await files.list(folder)) {
      if (!isStrayOf(tag, name)) continue
      const stray = join(folder, name)
      await removeIfThere(stray, files)
      removed.push(stray)
    }
  }
  return removed
}

function isStrayOf(tag: string, name: string): boolean {
  const opening = `.parley-${tag}-`
  return name.startsWith(opening) && /^\d+\.tmp$/.test(name.slice(opening.length))
}

async function removeIfThere(path: string, files: PatchFiles): Promise<void> {
  try {
    await files.unlink(path)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}
