import { dirname } from 'node:path'
import { nearestNames } from '../../look-up/nearest-names.ts'
import { type PatchFailure, type PatchProblem, problem } from '../patch-report.ts'
import { applyChunks } from './apply-chunks.ts'
import type { Hunk } from './parse-patch.ts'
import type { Loaded, PlannedFile, PlannedFiles, PlanSurroundings } from './planned-files.ts'
import { markInNewFile, restoreSecrets } from './secret-marks.ts'
import { decodeTextFile, encodeTextFile, textOfFile } from './text-file.ts'

type UpdateHunk = Extract<Hunk, { kind: 'update' }>

/** Applies one hunk to the planned files. A hunk with failures leaves them unchanged. */
export async function planHunk(
  hunk: Hunk,
  planned: PlannedFiles,
  surroundings: PlanSurroundings,
): Promise<readonly PatchFailure[]> {
  switch (hunk.kind) {
    case 'add':
      return await planAdd(hunk, planned, surroundings)
    case 'delete':
      return await planDelete(hunk, planned, surroundings)
    case 'update':
      return await planUpdate(hunk, planned, surroundings)
  }
}

async function planAdd(
  hunk: Extract<Hunk, { kind: 'add' }>,
  planned: PlannedFiles,
  { secretsIn }: PlanSurroundings,
): Promise<PatchFailure[]> {
  const loaded = await planned.load(hunk.path)
  if (!loaded.ok) return [failureAt(hunk, loaded)]
  const markProblem = secretsIn === undefined ? null : markInNewFile(hunk.path, hunk.lines)
  if (markProblem !== null) return [failureAt(hunk, markProblem)]
  const { file } = loaded
  if (file.bytes !== null) {
    return [failureAt(hunk, problem('fileExists', `${hunk.path} exists already; update it instead of adding it.`))]
  }
  file.bytes = Buffer.from(hunk.lines.map((line) => `${line}\n`).join(''))
  file.origin = null
  return []
}

async function planDelete(
  hunk: Extract<Hunk, { kind: 'delete' }>,
  planned: PlannedFiles,
  surroundings: PlanSurroundings,
): Promise<PatchFailure[]> {
  const found = await loadExisting(hunk, await planned.loadName(hunk.path), surroundings)
  if (!found.ok) return [failureAt(hunk, found)]
  if (found.file.throughLink) return [failureAt(hunk, linkProblem(hunk.path, 'deleted'))]
  found.file.bytes = null
  return []
}

async function planUpdate(
  hunk: UpdateHunk,
  planned: PlannedFiles,
  surroundings: PlanSurroundings,
): Promise<PatchFailure[]> {
  const found = await loadExisting(hunk, await planned.load(hunk.path), surroundings)
  if (!found.ok) return [failureAt(hunk, found)]
  const target = await moveTarget(hunk, found.file, planned)
  const edited = editFile(hunk, found, surroundings)
  if (!target.ok) return [failureAt(hunk, target), ...(edited.ok ? [] : edited.failures)]
  if (!edited.ok) return [...edited.failures]
  found.file.bytes = edited.bytes
  if (target.file !== found.file) moveContent(found.file, target.file)
  return []
}

interface Existing {
  readonly ok: true
  readonly file: PlannedFile
  readonly bytes: Uint8Array
}

async function loadExisting(
  hunk: Hunk,
  loaded: Loaded,
  surroundings: PlanSurroundings,
): Promise<Existing | PatchProblem> {
  if (!loaded.ok) return loaded
  const { file } = loaded
  if (file.bytes !== null) return { ok: true, file, bytes: file.bytes }
  if (file.before !== null) return problem('missingFile', `${hunk.path} was removed earlier in this patch.`)
  const folder = dirname(file.path.real)
  const names = quotes(file, surroundings) ? await surroundings.files.list(folder).catch(() => []) : []
  const near = nearestNames(hunk.path.replace(/^.*\//, ''), names)
  const hint = near.length === 0 ? '' : ` Similar names there: ${near.join(', ')}.`
  return problem('missingFile', `${hunk.path} does not exist.${hint}`)
}

/** Loads the file that receives the content: the hunk's own file unless it is moved. */
async function moveTarget(
  hunk: UpdateHunk,
  source: PlannedFile,
  planned: PlannedFiles,
): Promise<{ readonly ok: true; readonly file: PlannedFile } | PatchProblem> {
  if (hunk.movedTo === undefined) return { ok: true, file: source }
  const loaded = await planned.load(hunk.movedTo)
  if (!loaded.ok || loaded.file === source) return loaded
  if (source.throughLink) return linkProblem(hunk.path, 'moved')
  if (loaded.file.bytes === null) return loaded
  return problem('fileExists', `${hunk.path} cannot be moved to ${hunk.movedTo}, which exists already.`)
}

function moveContent(source: PlannedFile, target: PlannedFile): void {
  target.bytes = source.bytes
  target.origin = source.origin ?? source.path.real
  source.bytes = null
  source.origin = null
}

type Edited =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly failures: readonly PatchFailure[] }

function editFile(hunk: UpdateHunk, { file, bytes }: Existing, surroundings: PlanSurroundings): Edited {
  if (hunk.chunks.length === 0) return { ok: true, bytes }
  if (!file.writable) return failedEdit(hunk, problem('readOnlyFile', `${hunk.path} is read-only.`))
  const decoded = decodeTextFile(bytes)
  if (!decoded.ok) return failedEdit(hunk, problem('notText', `${hunk.path} cannot be patched: ${decoded.reason}.`))
  const chunks = restoreSecrets(hunk, textOfFile(decoded.file), surroundings.secretsIn)
  if ('code' in chunks) return failedEdit(hunk, chunks)
  const placed = applyChunks(hunk.path, decoded.file, chunks, quotes(file, surroundings))
  if (placed.ok) return { ok: true, bytes: encodeTextFile(placed.file) }
  const failures = placed.failures.map(({ code, line, message }) => ({ code, line, message, path: hunk.path }))
  return { ok: false, failures }
}

function quotes({ path }: PlannedFile, { mayQuote }: PlanSurroundings): boolean {
  return mayQuote === undefined || mayQuote(path.real)
}

function failedEdit(hunk: Hunk, found: PatchProblem): Edited {
  return { ok: false, failures: [failureAt(hunk, found)] }
}

function linkProblem(path: string, change: string): PatchProblem {
  return problem('symbolicLink', `${path} is a symbolic link, which a patch cannot have ${change}; use a command.`)
}

function failureAt({ path, line }: Hunk, { code, message }: PatchProblem): PatchFailure {
  return { code, path, line, message }
}
