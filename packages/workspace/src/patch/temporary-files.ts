import { dirname, join } from 'node:path'
import type { FileStat, PatchFiles } from './patch-files.ts'
import { removeIfThere, strayName } from './stray-files.ts'
import { succeeds } from './succeeds.ts'

/** The temporary files of one attempt, each beside the file it is for. */
export interface TemporaryFiles {
  /** A fresh name beside `target`. */
  nameFor(target: string): string
  write(target: string, bytes: Uint8Array, like: FileStat | null): Promise<string>
  /** From now on `discard` removes it. */
  own(path: string): void
  /** It has become something else, or must stay. */
  disown(path: string): void
  /** Removes all; answers with those that could not be removed. */
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
      // Owned first: a write that fails half-way leaves a file too.
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
