import { dirname } from 'node:path'
import { nearestNames } from '../../look-up/nearest-names.ts'
import type { PatchFailure } from '../file-plan.ts'
import { placeChunks } from './apply-chunks.ts'
import type { Chunk, Hunk } from './parse-chunks.ts'
import {
  type Complaint,
  complain,
  type PlannedFile,
  type PlannedFiles,
  type PlanSurroundings,
} from './planned-files.ts'
import { mentionsMarks, restoreChunks, strayMark } from './secret-marks.ts'
import { decodeTextFile, encodeTextFile, type TextFile } from './text-file.ts'

type UpdateHunk = Extract<Hunk, { kind: 'update' }>

/** Works one hunk into the planned files; a hunk with failures leaves them as they were. */
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
  const stray = secretsIn === undefined ? null : strayMark(hunk.lines, () => false)
  if (stray !== null) return [failureAt(hunk, markComplaint(hunk.path, stray))]
  const { file } = loaded
  if (file.bytes !== null) {
    return [failureAt(hunk, complain('fileExists', `${hunk.path} exists already; update it instead of adding it.`))]
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
  const found = await loadExisting(hunk, planned, surroundings)
  if (!found.ok) return [failureAt(hunk, found)]
  if (found.file.throughLink) return [failureAt(hunk, linkComplaint(hunk.path, 'deleted'))]
  found.file.bytes = null
  return []
}

async function planUpdate(
  hunk: UpdateHunk,
  planned: PlannedFiles,
  surroundings: PlanSurroundings,
): Promise<PatchFailure[]> {
  const found = await loadExisting(hunk, planned, surroundings)
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
  planned: PlannedFiles,
  surroundings: PlanSurroundings,
): Promise<Existing | Complaint> {
  const loaded = await planned.load(hunk.path)
  if (!loaded.ok) return loaded
  const { file } = loaded
  if (file.bytes !== null) return { ok: true, file, bytes: file.bytes }
  if (file.before !== null) return complain('missingFile', `${hunk.path} was removed earlier in this patch.`)
  const folder = dirname(file.path.real)
  const names = quotes(file, surroundings) ? await surroundings.files.list(folder).catch(() => []) : []
  const near = nearestNames(hunk.path.replace(/^.*\//, ''), names)
  const hint = near.length === 0 ? '' : ` Similar names there: ${near.join(', ')}.`
  return complain('missingFile', `${hunk.path} does not exist.${hint}`)
}

/** The file itself when it is not moved. */
async function moveTarget(
  hunk: UpdateHunk,
  source: PlannedFile,
  planned: PlannedFiles,
): Promise<{ readonly ok: true; readonly file: PlannedFile } | Complaint> {
  if (hunk.movedTo === undefined) return { ok: true, file: source }
  const loaded = await planned.load(hunk.movedTo)
  if (!loaded.ok || loaded.file === source) return loaded
  if (source.throughLink) return linkComplaint(hunk.path, 'moved')
  if (loaded.file.bytes === null) return loaded
  return complain('fileExists', `${hunk.path} cannot be moved to ${hunk.movedTo}, which exists already.`)
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
  if (!file.writable) return rejected(hunk, complain('readOnlyFile', `${hunk.path} is read-only.`))
  const decoded = decodeTextFile(bytes)
  if (!decoded.ok) return rejected(hunk, complain('notText', `${hunk.path} cannot be patched: ${decoded.reason}.`))
  const chunks = withSecrets(hunk, decoded.file, surroundings)
  if ('code' in chunks) return rejected(hunk, chunks)
  const placed = placeChunks(hunk.path, decoded.file, chunks, quotes(file, surroundings))
  if (placed.ok) return { ok: true, bytes: encodeTextFile(placed.file) }
  const failures = placed.failures.map(({ code, line, message }) => ({ code, line, message, path: hunk.path }))
  return { ok: false, failures }
}

/** The model sees marks where the file has secrets, and writes them where it means what is there. */
function withSecrets(hunk: UpdateHunk, file: TextFile, { secretsIn }: PlanSurroundings): readonly Chunk[] | Complaint {
  if (secretsIn === undefined || !mentionsMarks(hunk)) return hunk.chunks
  const text = file.lines.map((line) => line.text + line.end).join('')
  const known = secretsIn(text)
  const added = hunk.chunks.flatMap(({ lines }) =>
    lines.filter(({ kind }) => kind === 'insert').map((line) => line.text),
  )
  const stray = strayMark(added, (mark) => known.has(mark) || text.includes(mark))
  return stray === null ? restoreChunks(hunk.chunks, known) : markComplaint(hunk.path, stray)
}

function markComplaint(path: string, mark: string): Complaint {
  const message = `${path} would get the mark ${mark} instead of the secret that it stands for, which is not in that file. Move it with a command, or ask the user to.`
  return complain('unknownMark', message)
}

function quotes({ path }: PlannedFile, { mayQuote }: PlanSurroundings): boolean {
  return mayQuote === undefined || mayQuote(path.real)
}

function rejected(hunk: Hunk, complaint: Complaint): Edited {
  return { ok: false, failures: [failureAt(hunk, complaint)] }
}

function linkComplaint(path: string, deed: string): Complaint {
  return complain('symbolicLink', `${path} is a symbolic link, which a patch cannot have ${deed}; use a command.`)
}

function failureAt({ path, line }: Hunk, { code, message }: Complaint): PatchFailure {
  return { code, path, line, message }
}
