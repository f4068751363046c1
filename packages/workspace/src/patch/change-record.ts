import { resolve } from 'node:path'
import type { FileChangeEntry } from '@parley/protocol'
import type { FileChange, FilePlan } from './file-plan.ts'
import type { PatchView } from './patch-files.ts'

/** Builds the record of one file in the item of a patch: enough to show it, and to tell after a crash whether it was reached. */
export function recordChange(plan: FilePlan): FileChangeEntry {
  const { kind, path, movedTo, before, after, additions, deletions, diff } = plan
  return {
    path: path.written,
    kind,
    ...(movedTo === undefined ? {} : { movedTo: movedTo.written }),
    additions,
    deletions,
    diff,
    before: before?.hash ?? null,
    after: after?.hash ?? null,
  }
}

/** The recorded changes with real paths again, for `comparePlan` and `removeStrays`. */
export async function readChanges(
  entries: readonly Pick<FileChangeEntry, 'path' | 'movedTo' | 'before' | 'after'>[],
  cwd: string,
  files: PatchView,
): Promise<FileChange[]> {
  return await Promise.all(
    entries.map(async ({ path, movedTo, before, after }) => ({
      path: await files.realPath(resolve(cwd, path)),
      ...(movedTo === undefined ? {} : { movedTo: await files.realPath(resolve(cwd, movedTo)) }),
      beforeHash: before,
      afterHash: after,
    })),
  )
}
