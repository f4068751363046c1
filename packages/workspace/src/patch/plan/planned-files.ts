import { dirname, resolve } from 'node:path'
import { EnvironmentUnreachableError, systemErrorReason } from '../../files/errors.ts'
import { pathProblem } from '../../files/real-path.ts'
import { formatBytes, visiblePath } from '../../look-up/display-text.ts'
import { type FileVersion, type PatchPath, versionOf } from '../file-plan.ts'
import { contentAt, type FileStat, type PatchView, pathOfName } from '../patch-files.ts'
import { type PatchProblem, problem } from '../patch-report.ts'
import type { KnownMarks } from './secret-marks.ts'

export interface PlanSurroundings {
  readonly cwd: string
  readonly files: PatchView
  /** Returns the reason why a real path may not be read, or null. Called before every first read. */
  readonly refusal?: (realPath: string) => string | null
  /** Returns whether a failure may quote a file and the names in its folder. Default: always. */
  readonly mayQuote?: (realPath: string) => boolean
  /** Finds the secrets of a text by the marks that the model sees. Without it marks are ordinary text. */
  readonly secretsIn?: (text: string) => KnownMarks
}

/** State of a file after the hunks planned so far. */
export interface PlannedFile {
  readonly path: PatchPath
  /** Content on the disk. */
  readonly before: FileVersion | null
  readonly writable: boolean
  /** True when the last component of the written path is a link, which the real path follows. */
  readonly throughLink: boolean
  /** Present when the file is a link itself. */
  readonly link?: true
  bytes: Uint8Array | null
  /** Real path that the content was moved from; null otherwise. */
  origin: string | null
}

export type Loaded = { readonly ok: true; readonly file: PlannedFile } | PatchProblem

/** Files of a patch by real path, in the order of their hunks. Later hunks get the result of earlier ones. */
export interface PlannedFiles {
  load(written: string): Promise<Loaded>
  /** Loads the name itself: where it is a link, the link. */
  loadName(written: string): Promise<Loaded>
  all(): readonly PlannedFile[]
}

/** Limit for the size of a patched file, which is held in memory. */
export const maxPatchedBytes = 64 * 1024 * 1024

export function planFiles(surroundings: PlanSurroundings): PlannedFiles {
  const known = new Map<string, PlannedFile>()
  const { files } = surroundings

  async function load(written: string, pathOf: PathOf): Promise<Loaded> {
    try {
      const target = await resolveTarget(written, pathOf, surroundings)
      if (!target.ok) return target
      const file = known.get(target.path.real)
      if (file !== undefined) return { ok: true, file }
      const loaded = await readTarget(target, files)
      if (loaded.ok) known.set(target.path.real, loaded.file)
      return loaded
    } catch (error) {
      if (error instanceof EnvironmentUnreachableError) throw error
      return problem('fileError', `${visiblePath(written)} cannot be read: ${systemErrorReason(error)}.`)
    }
  }

  return {
    all: () => [...known.values()],
    load: (written) => load(written, files.realPath),
    loadName: (written) => load(written, (absolute) => pathOfName(absolute, files)),
  }
}

type PathOf = (absolute: string) => Promise<string>

interface ResolvedTarget {
  readonly ok: true
  readonly path: PatchPath
  readonly throughLink: boolean
}

async function resolveTarget(
  written: string,
  pathOf: PathOf,
  { cwd, files, refusal }: PlanSurroundings,
): Promise<ResolvedTarget | PatchProblem> {
  const shown = visiblePath(written)
  const reason = pathProblem(written)
  if (reason !== null) return problem('badPath', reason)
  if (shown !== written) return problem('badPath', `The path ${shown} contains control characters.`)
  const absolute = resolve(cwd, written)
  const real = await pathOf(absolute)
  const refused = refusal?.(real) ?? null
  if (refused !== null) return problem('notAllowed', refused)
  const throughLink = (await pathOfName(absolute, files)) !== real
  return { ok: true, path: { written, real }, throughLink }
}

async function readTarget({ path, throughLink }: ResolvedTarget, files: PatchView): Promise<Loaded> {
  const stat = await files.stat(path.real)
  if (stat === null) {
    const blocked = await blockedByFile(path, files)
    return blocked ?? { ok: true, file: { path, throughLink, before: null, writable: true, bytes: null, origin: null } }
  }
  const unfit = stat.kind === 'link' ? null : unpatchable(path.written, stat)
  if (unfit !== null) return unfit
  const before = versionOf(await contentAt(path.real, stat, files))
  const { writable } = stat
  const link = stat.kind === 'link' ? { link: true as const } : {}
  return { ok: true, file: { path, throughLink, ...link, before, writable, bytes: before.bytes, origin: null } }
}

function unpatchable(written: string, { kind, sizeBytes }: FileStat): PatchProblem | null {
  if (kind === 'folder') return problem('notAFile', `${written} is a folder, not a file.`)
  if (kind !== 'file') return problem('notAFile', `${written} is not a regular file.`)
  if (sizeBytes <= maxPatchedBytes) return null
  return problem('tooLarge', `${written} has ${formatBytes(sizeBytes)}, too much for a patch; use a command.`)
}

/** Returns a problem when a parent of the path is not a folder. */
async function blockedByFile(path: PatchPath, files: PatchView): Promise<PatchProblem | null> {
  for (let folder = dirname(path.real); ; folder = dirname(folder)) {
    const stat = await files.stat(folder)
    if (stat?.kind === 'folder' || folder === dirname(folder)) return null
    if (stat !== null) return problem('notAFile', `${path.written} cannot exist: ${folder} is not a folder.`)
  }
}
