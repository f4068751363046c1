import { EnvironmentUnreachableError, systemErrorReason, whenUnknown } from '../../files/errors.ts'
import { contentHash, type FileChange, type FilePlan, type FileState } from '../file-plan.ts'
import { contentAt, type FileStat, type PatchView } from '../patch-files.ts'
import type { PatchFailure } from '../patch-report.ts'

/** Metadata of the unchanged file, null for a new one; or the failure when it was changed. */
export type Checked =
  | { readonly ok: true; readonly found: FileStat | null }
  | { readonly ok: false; readonly failure: PatchFailure }

/** Checks that a file is unchanged since planning. */
export async function checkUnchanged(plan: FilePlan, files: PatchView): Promise<Checked> {
  try {
    // Read before the content, so that a write during the check changes the stamp compared later.
    const found = await files.stat(plan.path.real)
    const same = plan.before === null ? found === null : await isAsPlanned(plan, found, files)
    if (!same) return { ok: false, failure: changedMeanwhile(plan) }
    if (plan.movedTo !== undefined && (await files.stat(plan.movedTo.real)) !== null) {
      return { ok: false, failure: changedMeanwhile(plan) }
    }
    return { ok: true, found }
  } catch (error) {
    if (error instanceof EnvironmentUnreachableError) throw error
    return { ok: false, failure: fileFailure(plan, error) }
  }
}

async function isAsPlanned(
  { path, link, before }: FilePlan,
  found: FileStat | null,
  files: PatchView,
): Promise<boolean> {
  if (found?.kind !== (link ? 'link' : 'file')) return false
  return contentHash(await contentAt(path.real, found, files)) === before?.hash
}

export function changedMeanwhile({ path, movedTo }: FilePlan): PatchFailure {
  const name = movedTo === undefined ? path.written : `${path.written} or ${movedTo.written}`
  const message = `${name} was changed after the patch was planned; read it again and make a new patch.`
  return { code: 'changedMeanwhile', path: path.written, line: null, message }
}

export function fileFailure({ path }: FilePlan, error: unknown): PatchFailure {
  const message = `${path.written} could not be written: ${systemErrorReason(error)}.`
  return { code: 'fileError', path: path.written, line: null, message }
}

/** Compares files with a patch by content, after a crash or a failed rollback. */
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

/** Returns the hash of a file; null when it does not exist, undefined when it cannot be read. */
async function hashAt(path: string, files: PatchView): Promise<string | null | undefined> {
  try {
    const stat = await files.stat(path)
    return stat === null ? null : contentHash(await contentAt(path, stat, files))
  } catch (error) {
    return whenUnknown(undefined)(error)
  }
}
