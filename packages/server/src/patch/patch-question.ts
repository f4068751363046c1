import type { AskedFile } from '@parley/protocol'
import { recordChanges } from './change-record.ts'
import type { FilePlan } from './file-plan.ts'

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

/**
 * Builds the question about a patch: no path and no added or changed line is ever left out of it. The files that policy
 * singles out come first, deleted ones last. A patch that is too long to be shown so is a problem and not asked about.
 */
export function askAboutPatch(
  plans: readonly FilePlan[],
  singledOut: (realPath: string) => boolean,
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
  return { files: filesOf(ordered), detail: diffs.join('\n') }
}

function rankOf({ kind, path, movedTo }: FilePlan, singledOut: (realPath: string) => boolean): number {
  const isFirst = singledOut(path.real) || (movedTo !== undefined && singledOut(movedTo.real))
  return (isFirst ? 0 : 2) + (kind === 'delete' ? 1 : 0)
}

/** A deleted file by its path, size and hash. Its headers stay, so that programs read it as a diff. */
function foldedDiff({ path, deletions, isText }: FilePlan, { bytes, hash }: NonNullable<FilePlan['before']>): string {
  const lines = isText ? `${deletions} removed lines not shown` : 'not text, not shown'
  return `--- ${path.written}\n+++ /dev/null\n… ${lines}: ${bytes.length} bytes, sha256:${hash}\n`
}

function filesOf(plans: readonly FilePlan[]): AskedFile[] {
  return recordChanges(plans).map(({ diff: _diff, ...file }, index) => {
    const before = plans[index]?.before
    return file.kind !== 'delete' || before == null ? file : { ...file, deletedBytes: before.bytes.length }
  })
}

function tooLong(characters: number): string {
  return `Not run: the user is asked about this patch and must see all that it adds and changes, which are ${characters} characters; ${maxShown} can be shown. Split it into several patches, each smaller than that. No file was changed.`
}
