import { type FilePlan, type FileVersion, versionOf } from '../file-plan.ts'
import type { PatchFailure } from '../patch-report.ts'
import { diffFile } from './file-diff.ts'
import { type FileEdit, planEdit } from './plan-edit.ts'
import { type PlannedFile, type PlanSurroundings, planFiles } from './planned-files.ts'

export interface PlanRequest extends PlanSurroundings {
  readonly changes: readonly FileEdit[]
}

export type PlanOutcome =
  | { readonly ok: true; readonly plans: readonly FilePlan[] }
  | { readonly ok: false; readonly failures: readonly PatchFailure[] }

/**
 * Plans changes without writing: the sections of a patch, a replaced text, or a whole file.
 *
 * Any failure means no plan, and all failures are reported. Changes of the same file apply in their order.
 */
export async function planPatch(request: PlanRequest): Promise<PlanOutcome> {
  if (request.changes.length === 0) {
    const message = 'No files were modified: the patch is empty.'
    return { ok: false, failures: [{ code: 'nothingToDo', path: null, line: null, message }] }
  }
  const planned = planFiles(request)
  const failures: PatchFailure[] = []
  const failedPaths = new Set<string>()
  for (const edit of request.changes) {
    // A failure after a failed change of the same file would only be a consequence of it.
    if (failedPaths.has(edit.path)) continue
    const found = await planEdit(edit, planned, request)
    for (const failure of found) failures.push(failure)
    if (found.length > 0) failedPaths.add(edit.path)
    if (found.length > 0 && edit.kind === 'update' && edit.movedTo !== undefined) failedPaths.add(edit.movedTo)
  }
  for (const failure of nestedFiles(planned.all())) failures.push(failure)
  return failures.length > 0 ? { ok: false, failures } : { ok: true, plans: filePlans(planned.all()) }
}

/** Finds files that the patch would create below another file. */
function nestedFiles(files: readonly PlannedFile[]): PatchFailure[] {
  const present = files.filter(({ bytes }) => bytes !== null)
  return present.flatMap((inner): PatchFailure[] => {
    const outer = present.find(({ path }) => inner.path.real.startsWith(`${path.real}/`))
    if (outer === undefined) return []
    const message = `${inner.path.written} cannot exist: this patch makes ${outer.path.written} a file.`
    return [{ code: 'notAFile', path: inner.path.written, line: null, message }]
  })
}

function filePlans(files: readonly PlannedFile[]): FilePlan[] {
  const moves = new Map<PlannedFile, PlannedFile>()
  for (const target of files) {
    const source = files.find(({ path }) => path.real === target.origin)
    if (source?.bytes === null && source.before !== null && target.before === null && target.bytes !== null) {
      moves.set(source, target)
    }
  }
  const targets = new Set(moves.values())
  return files.filter((file) => !targets.has(file)).flatMap((file) => filePlan(file, moves.get(file)))
}

function filePlan(file: PlannedFile, target: PlannedFile | undefined): FilePlan[] {
  const { path, link, before } = file
  const bytes = target?.bytes ?? file.bytes
  if (before === null && bytes === null) return []
  const after = bytes === null ? null : versionAfter(before, bytes)
  const { written } = path
  const diff = diffFile({
    oldPath: before === null ? null : written,
    newPath: after === null ? null : (target?.path.written ?? written),
    before: before?.bytes ?? null,
    after: bytes,
  })
  const kind = before === null ? 'add' : after === null ? 'delete' : 'update'
  const isLink = link === undefined ? {} : { link }
  return [{ kind, ...isLink, path, before, after, ...(target === undefined ? {} : { movedTo: target.path }), ...diff }]
}

function versionAfter(before: FileVersion | null, bytes: Uint8Array): FileVersion {
  return before?.bytes === bytes ? before : versionOf(bytes)
}
