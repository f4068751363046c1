import { basename, dirname, join, resolve } from 'node:path'
import { EnvironmentUnreachableError, systemErrorReason } from '../../files/errors.ts'
import { pathProblem } from '../../files/workspace-path.ts'
import { formatBytes, visiblePath } from '../../look-up/display-text.ts'
import { type FileVersion, type PatchPath, versionOf } from '../file-plan.ts'
import type { FileStat, PatchView } from '../patch-files.ts'
import { type PatchProblem, problem } from '../patch-report.ts'
import type { KnownMarks } from './secret-marks.ts'

export interface PlanSurroundings {
  readonly cwd: string
  readonly files: PatchView
  /** Why a real path may not even be looked at, or null; asked before anything is read. */
  readonly refusal?: (realPath: string) => string | null
  /** Whether a failure may show what is in a file, or beside it; it may when nothing is said. */
  readonly mayQuote?: (realPath: string) => boolean
  /** The secrets of a text by the marks that the model sees in their place; without it marks are ordinary text. */
  readonly secretsIn?: (text: string) => KnownMarks
}

/** A file as it will be after the hunks planned so far. */
export interface PlannedFile {
  readonly path: PatchPath
  /** What is on the disk. */
  readonly before: FileVersion | null
  readonly writable: boolean
  /** The last component of the path as written is a link. */
  readonly throughLink: boolean
  bytes: Uint8Array | null
  /** Real path that the content was moved from. */
  origin: string | null
}

export type Loaded = { readonly ok: true; readonly file: PlannedFile } | PatchProblem

/** The files that a patch touches, by real path in order of first touch: later hunks see what earlier ones did. */
export interface PlannedFiles {
  load(written: string): Promise<Loaded>
  all(): readonly PlannedFile[]
}

/** So that a patch never holds more in memory than a text file that someone edits may have. */
export const maxPatchedBytes = 64 * 1024 * 1024

export function planFiles(surroundings: PlanSurroundings): PlannedFiles {
  const known = new Map<string, PlannedFile>()
  return {
    all: () => [...known.values()],
    async load(written) {
      try {
        const place = await resolveTarget(written, surroundings)
        if (!place.ok) return place
        const file = known.get(place.path.real)
        if (file !== undefined) return { ok: true, file }
        const loaded = await readTarget(place, surroundings.files)
        if (loaded.ok) known.set(place.path.real, loaded.file)
        return loaded
      } catch (error) {
        if (error instanceof EnvironmentUnreachableError) throw error
        return problem('fileError', `${visiblePath(written)} cannot be read: ${systemErrorReason(error)}.`)
      }
    },
  }
}

interface ResolvedTarget {
  readonly ok: true
  readonly path: PatchPath
  readonly throughLink: boolean
}

async function resolveTarget(
  written: string,
  { cwd, files, refusal }: PlanSurroundings,
): Promise<ResolvedTarget | PatchProblem> {
  const shown = visiblePath(written)
  const complaint = pathProblem(written)
  if (complaint !== null) return problem('badPath', complaint)
  if (shown !== written) return problem('badPath', `The path ${shown} contains control characters.`)
  const absolute = resolve(cwd, written)
  const real = await files.realPath(absolute)
  const reason = refusal?.(real) ?? null
  if (reason !== null) return problem('notAllowed', reason)
  const throughLink = join(await files.realPath(dirname(absolute)), basename(absolute)) !== real
  return { ok: true, path: { written, real }, throughLink }
}

async function readTarget({ path, throughLink }: ResolvedTarget, files: PatchView): Promise<Loaded> {
  const stat = await files.stat(path.real)
  if (stat === null) {
    const blocked = await blockedByFile(path, files)
    return blocked ?? { ok: true, file: { path, throughLink, before: null, writable: true, bytes: null, origin: null } }
  }
  const unfit = unfitness(path.written, stat)
  if (unfit !== null) return unfit
  const before = versionOf(await files.readFile(path.real))
  const file = { path, throughLink, before, writable: stat.writable, bytes: before.bytes, origin: null }
  return { ok: true, file }
}

function unfitness(written: string, { kind, sizeBytes }: FileStat): PatchProblem | null {
  if (kind === 'folder') return problem('notAFile', `${written} is a folder, not a file.`)
  if (kind !== 'file') return problem('notAFile', `${written} is not a regular file.`)
  if (sizeBytes <= maxPatchedBytes) return null
  return problem('tooLarge', `${written} has ${formatBytes(sizeBytes)}, too much for a patch; use a command.`)
}

/** A file that stands where the path needs a folder. */
async function blockedByFile(path: PatchPath, files: PatchView): Promise<PatchProblem | null> {
  for (let folder = dirname(path.real); ; folder = dirname(folder)) {
    const stat = await files.stat(folder)
    if (stat?.kind === 'folder' || folder === dirname(folder)) return null
    if (stat !== null) return problem('notAFile', `${path.written} cannot exist: ${folder} is not a folder.`)
  }
}
