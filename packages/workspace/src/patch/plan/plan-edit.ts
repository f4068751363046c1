import { dirname } from 'node:path'
import { nearestNames } from '../../look-up/nearest-names.ts'
import type { Hunk } from '../parse/parse-chunks.ts'
import { type PatchFailure, type PatchProblem, problem } from '../patch-report.ts'
import { applyChunks } from '../place/apply-chunks.ts'
import { decodeTextFile, encodeTextFile, type TextFile, textOfFile } from '../place/text-file.ts'
import type { Loaded, PlannedFile, PlannedFiles, PlanSurroundings } from './planned-files.ts'
import { inFormOf, type Replacement, replaceText } from './replace-text.ts'
import { markInNewFile, restoreInText, restoreSecrets } from './secret-marks.ts'

type UpdateHunk = Extract<Hunk, { kind: 'update' }>

/** Whole content for a file, whether it exists or not. */
interface WholeFile {
  readonly kind: 'write'
  readonly path: string
  readonly content: string
}

/** Change of one file, as a tool asks for it: a section of a patch, a replaced text, or a whole file. */
export type FileEdit = Hunk | Replacement | WholeFile

/** Applies one change to the planned files. One with failures leaves them unchanged. */
export async function planEdit(
  edit: FileEdit,
  planned: PlannedFiles,
  surroundings: PlanSurroundings,
): Promise<readonly PatchFailure[]> {
  switch (edit.kind) {
    case 'add':
      return await planAdd(edit, planned, surroundings)
    case 'delete':
      return await planDelete(edit, planned, surroundings)
    case 'update':
      return await planUpdate(edit, planned, surroundings)
    case 'replace':
      return await planReplacement(edit, planned, surroundings)
    case 'write':
      return await planWholeFile(edit, planned, surroundings)
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

async function planReplacement(
  edit: Replacement,
  planned: PlannedFiles,
  surroundings: PlanSurroundings,
): Promise<PatchFailure[]> {
  const loaded = await planned.load(edit.path)
  // Some models make a file by replacing nothing in it.
  if (edit.old === '' && loaded.ok && loaded.file.bytes === null)
    return await planWholeFile({ kind: 'write', path: edit.path, content: edit.new }, planned, surroundings)
  const found = await loadExisting(edit, loaded, surroundings)
  if (!found.ok) return [failureAt(edit, found)]
  const file = decodeWritable(edit.path, found)
  if ('code' in file) return [failureAt(edit, file)]
  const texts = restoreInText(edit, textOfFile(file), surroundings.secretsIn)
  if ('code' in texts) return [failureAt(edit, texts)]
  const replaced = replaceText(
    { path: edit.path, file, quoting: quotes(found.file, surroundings) },
    { ...edit, ...texts },
  )
  if (!replaced.ok) return [failureAt(edit, replaced)]
  found.file.bytes = replaced.bytes
  return []
}

async function planWholeFile(
  edit: WholeFile,
  planned: PlannedFiles,
  { secretsIn }: PlanSurroundings,
): Promise<PatchFailure[]> {
  const loaded = await planned.load(edit.path)
  if (!loaded.ok) return [failureAt(edit, loaded)]
  const { file } = loaded
  if (!file.writable) return [failureAt(edit, readOnly(edit.path))]
  const decoded = file.bytes === null ? null : decodeTextFile(file.bytes)
  const before = decoded?.ok === true ? decoded.file : noText
  const texts = restoreInText({ path: edit.path, old: '', new: edit.content }, textOfFile(before), secretsIn)
  if ('code' in texts) return [failureAt(edit, texts)]
  const bytes = inFormOf(before, texts.new)
  if (file.bytes !== null && Buffer.compare(file.bytes, bytes) === 0)
    return [
      failureAt(edit, problem('nothingToDo', `${edit.path} has this content already, so there is nothing to do.`)),
    ]
  file.bytes = bytes
  return []
}

const noText: TextFile = { hasByteOrderMark: false, lines: [] }

interface Existing {
  readonly ok: true
  readonly file: PlannedFile
  readonly bytes: Uint8Array
}

async function loadExisting(
  { path }: FileEdit,
  loaded: Loaded,
  surroundings: PlanSurroundings,
): Promise<Existing | PatchProblem> {
  if (!loaded.ok) return loaded
  const { file } = loaded
  if (file.bytes !== null) return { ok: true, file, bytes: file.bytes }
  if (file.before !== null) return problem('missingFile', `${path} was removed earlier in this patch.`)
  const folder = dirname(file.path.real)
  const names = quotes(file, surroundings) ? await surroundings.files.list(folder).catch(() => []) : []
  const near = nearestNames(path.replace(/^.*\//, ''), names)
  const hint = near.length === 0 ? '' : ` Similar names there: ${near.join(', ')}.`
  return problem('missingFile', `${path} does not exist.${hint}`)
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
  if (source.throughLink) return movedLink(hunk.path)
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

function editFile(hunk: UpdateHunk, found: Existing, surroundings: PlanSurroundings): Edited {
  if (hunk.chunks.length === 0) return { ok: true, bytes: found.bytes }
  const file = decodeWritable(hunk.path, found)
  if ('code' in file) return failedEdit(hunk, file)
  const chunks = restoreSecrets(hunk, textOfFile(file), surroundings.secretsIn)
  if ('code' in chunks) return failedEdit(hunk, chunks)
  const placed = applyChunks(hunk.path, file, chunks, quotes(found.file, surroundings))
  if (placed.ok) return { ok: true, bytes: encodeTextFile(placed.file) }
  const failures = placed.failures.map(({ code, line, message }) => ({ code, line, message, path: hunk.path }))
  return { ok: false, failures }
}

/** Returns the text of a file that may be changed. */
function decodeWritable(path: string, { file, bytes }: Existing): TextFile | PatchProblem {
  if (!file.writable) return readOnly(path)
  const decoded = decodeTextFile(bytes)
  return decoded.ok ? decoded.file : problem('notText', `${path} cannot be changed in part: ${decoded.reason}.`)
}

function readOnly(path: string): PatchProblem {
  return problem('readOnlyFile', `${path} is read-only.`)
}

function quotes({ path }: PlannedFile, { mayQuote }: PlanSurroundings): boolean {
  return mayQuote === undefined || mayQuote(path.real)
}

function failedEdit(hunk: Hunk, found: PatchProblem): Edited {
  return { ok: false, failures: [failureAt(hunk, found)] }
}

function movedLink(path: string): PatchProblem {
  return problem('symbolicLink', `${path} is a symbolic link, which a patch cannot have moved; use a command.`)
}

function failureAt(edit: FileEdit, { code, message }: Pick<PatchProblem, 'code' | 'message'>): PatchFailure {
  return { code, path: edit.path, line: 'line' in edit ? edit.line : null, message }
}
