import { dirname, join } from 'node:path'
import { isMissing } from '../paths/system-error.ts'
import type { PatchFiles } from './patch-files.ts'

/**
 * The name of a patch's temporary file, beside the file it is for. `tag` names one attempt to apply one patch, in
 * letters, digits, `-` and `_`, so that what a crash left behind can be found and taken for nothing else.
 */
export function strayName(tag: string, number: number): string {
  return `.parley-${tag}-${number}.tmp`
}

/** Removes what an interrupted attempt left beside these real paths; answers with the paths removed. */
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

export async function removeIfThere(path: string, files: PatchFiles): Promise<void> {
  try {
    await files.unlink(path)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}
