import { whenUnknown } from '../environment/place-unreachable.ts'
import { contentHash } from './content-hash.ts'
import type { FileChange } from './file-plan.ts'
import type { PatchView } from './patch-files.ts'

export interface FileState {
  /** Real path; a moved file gives two of them. */
  readonly path: string
  /** As before the patch, as after it, or neither (someone else wrote to it, or it cannot be read). */
  readonly state: 'old' | 'new' | 'other'
}

/** Tells by content which files of a patch were reached, after a crash or a failed roll-back. */
export async function comparePlan(changes: readonly FileChange[], files: PatchView): Promise<FileState[]> {
  const sides = changes.flatMap(({ path, movedTo, beforeHash, afterHash }) => {
    if (movedTo === undefined) return [{ path, old: beforeHash, new: afterHash }]
    return [
      { path, old: beforeHash, new: null },
      { path: movedTo, old: null, new: afterHash },
    ]
  })
  return await Promise.all(
    sides.map(async (side): Promise<FileState> => {
      const hash = await hashAt(side.path, files)
      if (hash === side.new) return { path: side.path, state: 'new' }
      return { path: side.path, state: hash === side.old ? 'old' : 'other' }
    }),
  )
}

/** Null when nothing is there, undefined when it cannot be told. */
async function hashAt(path: string, files: PatchView): Promise<string | null | undefined> {
  try {
    const stat = await files.stat(path)
    return stat === null ? null : contentHash(await files.readFile(path))
  } catch (error) {
    return whenUnknown(undefined)(error)
  }
}
