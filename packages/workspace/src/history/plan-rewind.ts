import { dirname, isAbsolute, relative } from 'node:path'
import type { ChangedPath, LeftFile, PathContent } from '@parley/protocol'
import { EnvironmentUnreachableError, systemErrorReason } from '../files/errors.ts'
import { type FilePlan, type FileVersion, versionOf } from '../patch/file-plan.ts'
import type { PatchView } from '../patch/patch-files.ts'
import { diffFile } from '../patch/plan/file-diff.ts'
import type { ContentStore } from './content-store.ts'
import { contentNow, type FoundContent } from './named-content.ts'

export interface CallChange extends ChangedPath {
  /** True when the end of the call is unknown, so that the file may be as before it. */
  readonly isUnsure?: true
}

/** File that calls changed since the point of a rewind. */
export interface PastChange {
  readonly path: string
  /** Content at the point of the rewind. */
  readonly before: PathContent | null
  /** Contents that the last call may have left; more than one when its end is unknown. */
  readonly after: readonly (PathContent | null)[]
  /** True when another program changed it between two calls. */
  readonly isInterleaved: boolean
}

/** Joins changes in their order to one for each file. */
export function joinChanges(changes: readonly CallChange[]): readonly PastChange[] {
  const joined = new Map<string, PastChange>()
  for (const { path, before, after: left, isUnsure } of changes) {
    const after = isUnsure ? [left, before] : [left]
    const known = joined.get(path)
    if (known === undefined) joined.set(path, { path, before, after, isInterleaved: false })
    else joined.set(path, { ...known, after, isInterleaved: known.isInterleaved || !isAmong(before, known.after) })
  }
  return [...joined.values()]
}

interface RewindRequest {
  readonly changes: readonly PastChange[]
  readonly cwd: string
  readonly files: PatchView
  readonly store: ContentStore
  /** True to write also files that other programs changed since. */
  readonly overwrite: boolean
}

export interface PlannedRewind {
  readonly plans: readonly FilePlan[]
  readonly left: readonly LeftFile[]
}

/** Plans to restore the content of each file, and lists the files that stay as they are. Writes nothing. */
export async function planRewind(request: RewindRequest): Promise<PlannedRewind> {
  const plans: FilePlan[] = []
  const left: LeftFile[] = []
  for (const change of request.changes) {
    const planned = await planFile(change, request)
    if (planned === null) continue
    if ('why' in planned) left.push(planned)
    else plans.push(planned)
  }
  return { plans, left }
}

async function planFile(change: PastChange, request: RewindRequest): Promise<FilePlan | LeftFile | null> {
  const { path, before: target } = change
  const { files, store, cwd } = request
  try {
    const found = await contentNow(path, files)
    if (isEqual(found?.content ?? null, target)) return null
    const wanted = target === null ? null : keptVersion(target, store)
    const isBlocked = target !== null && (await liesInFile(path, files))
    const reason = reasonToLeave(change, { found, wanted, isBlocked }, request)
    if (reason !== null) return leftFile(path, cwd, reason)
    return filePlan(path, { found, target, wanted: wanted === 'lost' ? null : wanted }, cwd)
  } catch (error) {
    if (error instanceof EnvironmentUnreachableError) throw error
    return leftFile(path, cwd, ['notPossible', `cannot be read: ${systemErrorReason(error)}.`])
  }
}

type LeftReason = readonly [why: LeftFile['why'], text: string]

function leftFile(path: string, cwd: string, [why, reason]: LeftReason): LeftFile {
  const shown = shownPath(path, cwd)
  return { path: shown, why, text: `${shown} ${reason}` }
}

interface Situation {
  readonly found: FoundContent | null
  readonly wanted: FileVersion | 'lost' | null
  readonly isBlocked: boolean
}

/** Returns why a file stays as it is; null for one that can be brought back. */
function reasonToLeave(
  { after, isInterleaved }: PastChange,
  { found, wanted, isBlocked }: Situation,
  { overwrite }: RewindRequest,
): LeftReason | null {
  if (isBlocked) return ['notPossible', 'cannot be made again: its folder is a file now.']
  const kind = found?.stat.kind
  if (kind === 'folder' || kind === 'other')
    return ['notPossible', `stays: there is a ${kind === 'folder' ? 'folder' : 'special file'} now.`]
  if (wanted === 'lost') return ['notKept', 'stays: its earlier content is not kept, as it was too large or too old.']
  if (found?.bytes === null || after.some((one) => one !== null && one.hash === undefined))
    return ['notKept', 'stays: it is too large, so it could not be brought back afterwards.']
  const isChanged = isInterleaved || !isAmong(found?.content ?? null, after)
  return isChanged && !overwrite
    ? ['changedSince', 'stays: it was changed since by somebody else than the model.']
    : null
}

/** Returns the content that is to be written; `lost` when it is not kept any more. */
function keptVersion({ hash }: PathContent, store: ContentStore): FileVersion | 'lost' {
  const bytes = hash === undefined ? null : store.read(hash)
  return bytes === null ? 'lost' : versionOf(bytes)
}

function filePlan(
  path: string,
  { found, target, wanted }: { found: FoundContent | null; target: PathContent | null; wanted: FileVersion | null },
  cwd: string,
): FilePlan {
  const written = shownPath(path, cwd)
  const before = found === null || found.bytes === null ? null : versionOf(found.bytes)
  return {
    kind: before === null ? 'add' : wanted === null ? 'delete' : 'update',
    ...(found?.content.link === true ? { link: true as const } : {}),
    ...(target?.link === true ? { writesLink: true as const } : {}),
    ...(target?.mode === undefined || target.link === true ? {} : { mode: target.mode }),
    path: { written, real: path },
    before,
    after: wanted,
    ...diffFile({
      oldPath: before === null ? null : written,
      newPath: wanted === null ? null : written,
      before: before?.bytes ?? null,
      after: wanted?.bytes ?? null,
    }),
  }
}

/** Tests if the nearest thing above a path is no folder. */
async function liesInFile(path: string, files: PatchView): Promise<boolean> {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const stat = await files.stat(folder).catch(() => null)
    if (stat !== null) return stat.kind !== 'folder'
  }
  return false
}

function shownPath(path: string, cwd: string): string {
  const inside = relative(cwd, path)
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? path : inside
}

function isAmong(content: PathContent | null, others: readonly (PathContent | null)[]): boolean {
  return others.some((other) => isEqual(content, other))
}

/** Tests if two contents are the same; a content without a hash never is. */
function isEqual(one: PathContent | null, other: PathContent | null): boolean {
  if (one === null || other === null) return one === other
  const isSameMode = one.link === true || one.mode === undefined || other.mode === undefined || one.mode === other.mode
  return one.hash !== undefined && one.hash === other.hash && one.link === other.link && isSameMode
}
