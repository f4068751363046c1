import { resolve } from 'node:path'
import type { AskedFile } from '@parley/protocol'
import { type FilePlan, type PatchPath, recordChange } from './file-plan.ts'

/** The part of a question that says what a patch would do. */
export interface PatchQuestion {
  /** All files that a yes covers, in the order of `detail`. */
  readonly files: readonly AskedFile[]
  readonly detail: string
}

/** Characters of all added and changed lines, context included, that a question may have. */
const maxShown = 512 * 1024
/** Characters of removed lines of deleted files; those of files beyond it are left out. */
const maxRemoved = 64 * 1024

/** The part of what policy knows of a patch that its question needs. */
export interface JudgedPatch {
  /** Real path of the folder that its paths are relative to. */
  readonly cwd: string
  /** Real paths that ask for a yes by their place, whatever else is in the patch. */
  readonly singledOut: ReadonlySet<string>
}

/**
 * Builds the question about a patch: no path and no added or changed line is ever left out of it. The files that policy
 * singles out come first, deleted ones last. A patch that is too long to be shown so is a problem and not asked about.
 */
export function patchQuestion(
  plans: readonly FilePlan[],
  { cwd, singledOut }: JudgedPatch,
): PatchQuestion | { readonly problem: string } {
  const ordered = plans.toSorted((one, other) => rankOf(one, singledOut) - rankOf(other, singledOut))
  const kept = ordered.filter(({ kind }) => kind !== 'delete').reduce((sum, { diff }) => sum + diff.length, 0)
  if (kept > maxShown) return { problem: tooLong(kept) }
  let left = maxRemoved
  const diffs = ordered.map((plan) => {
    if (plan.kind !== 'delete' || plan.before === null) return plan.diff
    const isShown = plan.isText && plan.diff.length <= left
    if (isShown) left -= plan.diff.length
    return isShown ? plan.diff : foldedDiff(plan, plan.before)
  })
  return { files: ordered.map((plan) => askedFile(plan, cwd)), detail: diffs.join('\n') }
}

function rankOf({ kind, path, movedTo }: FilePlan, singledOut: ReadonlySet<string>): number {
  const isFirst = singledOut.has(path.real) || (movedTo !== undefined && singledOut.has(movedTo.real))
  return (isFirst ? 0 : 2) + (kind === 'delete' ? 1 : 0)
}

/** A deleted file by its path, size and hash. Its headers stay, so that programs read it as a diff. */
function foldedDiff({ path, deletions, isText }: FilePlan, { bytes, hash }: NonNullable<FilePlan['before']>): string {
  const lines = isText ? `${deletions} removed lines not shown` : 'not text, not shown'
  return `--- ${path.written}\n+++ /dev/null\n… ${lines}: ${bytes.length} bytes, sha256:${hash}\n`
}

function askedFile(plan: FilePlan, cwd: string): AskedFile {
  const { diff: _diff, ...file } = recordChange(plan)
  const [real, realMovedTo] = [plan.path, plan.movedTo].map((path) => linkedPlace(path, cwd))
  return {
    ...file,
    ...(real === undefined ? {} : { real }),
    ...(realMovedTo === undefined ? {} : { realMovedTo }),
    ...(plan.kind === 'delete' && plan.before !== null ? { deletedBytes: plan.before.bytes.length } : {}),
  }
}

/** The real place of a path that does not say it itself. */
function linkedPlace(path: PatchPath | undefined, cwd: string): string | undefined {
  return path === undefined || resolve(cwd, path.written) === path.real ? undefined : path.real
}

function tooLong(characters: number): string {
  return `Not run: the user is asked about this patch and must see all that it adds and changes, which are ${characters} characters; ${maxShown} can be shown. Split it into several patches, each smaller than that. No file was changed.`
}
