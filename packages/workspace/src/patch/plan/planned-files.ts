import { basename, dirname, join, resolve } from 'node:path'
import { PlaceUnreachable, systemErrorReason } from '../../files/errors.ts'
import { pathComplaint } from '../../files/workspace-path.ts'
import { formatBytes, visiblePath } from '../../look-up/display-text.ts'
import { type FileVersion, type PatchFailureCode, type PatchPath, versionOf } from '../file-plan.ts'
import type { FileStat, PatchView } from '../patch-files.ts'
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

export interface Complaint {
  readonly ok: false
  readonly code: PatchFailureCode
  readonly message: string
}

export type Loaded = { readonly ok: true; readonly file: PlannedFile } | Complaint

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
        const place = await findPlace(written, surroundings)
        if (!place.ok) return place
        const file = known.get(place.path.real)
        if (file !== undefined) return { ok: true, file }
        const loaded = await readPlace(place, surroundings.files)
        if (loaded.ok) known.set(place.path.real, loaded.file)
        return loaded
      } catch (error) {
        if (error instanceof PlaceUnreachable) throw error
        return complain('fileError', `${visiblePath(written)} cannot be read: ${systemErrorReason(error)}.`)
      }
    },
  }
}

export function complain(code: PatchFailureCode, message: string): Complaint {
  return { ok: false, code, message }
}

interface Place {
  readonly ok: true
  readonly path: PatchPath
  readonly throughLink: boolean
}

async function findPlace(written: string, { cwd, files, refusal }: PlanSurroundings): Promise<Place | Complaint> {
  const shown = visiblePath(written)
  const complaint = pathComplaint(written)
  if (complaint !== null) return complain('badPath', complaint)
  if (shown !== written) return complain('badPath', `The path ${shown} contains control characters.`)
  const absolute = resolve(cwd, written)
  const real = await files.realPath(absolute)
  const reason = refusal?.(real) ?? null
  if (reason !== null) return complain('notAllowed', reason)
  const throughLink = join(await files.realPath(dirname(absolute)), basename(absolute)) !== real
  return { ok: true, path: { written, real }, throughLink }
}

async function readPlace({ path, throughLink }: Place, files: PatchView): Promise<Loaded> {
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

function unfitness(written: string, { kind, sizeBytes }: FileStat): Complaint | null {
  if (kind === 'folder') return complain('notAFile', `${written} is a folder, not a file.`)
  if (kind !== 'file') return complain('notAFile', `${written} is not a regular file.`)
  if (sizeBytes <= maxPatchedBytes) return null
  return complain('tooLarge', `${written} has ${formatBytes(sizeBytes)}, too much for a patch; use a command.`)
}

/** A file that stands where the path needs a folder. */
async function blockedByFile(path: PatchPath, files: PatchView): Promise<Complaint | null> {
  for (let folder = dirname(path.real); ; folder = dirname(folder)) {
    const stat = await files.stat(folder)
    if (stat?.kind === 'folder' || folder === dirname(folder)) return null
    if (stat !== null) return complain('notAFile', `${path.written} cannot exist: ${folder} is not a folder.`)
  }
}
