import { resolve } from 'node:path'
import type { AskedFile } from '@parley/protocol'
import { type FilePlan, type PatchPath, recordChange } from './file-plan.ts'

/** Part of an approval that shows the changes of a patch. */
export interface PatchQuestion {
  /** All files that the approval covers, in the order of `detail`. */
  readonly files: readonly AskedFile[]
  readonly detail: string
}

/** Limit in characters for the diffs of added and updated files. */
const maxShown = 512 * 1024
/** Limit in characters for the diffs of deleted files; further ones are shown without their lines. */
const maxRemoved = 64 * 1024

/** Facts from policy that the question needs. */
export interface JudgedPatch {
  /** Real path of the folder that relative paths start from. */
  readonly cwd: string
  /** Real paths that need approval because of where they are. */
  readonly singledOut: ReadonlySet<string>
  /** Remarks on files, by their real paths. */
  readonly notes: ReadonlyMap<string, readonly string[]>
}

/**
 * Builds the question about a patch with every path and every added or changed line.
 *
 * Files in `singledOut` come first, deleted files last. Returns a problem for a patch that is too long to show.
 */
export function patchQuestion(
  plans: readonly FilePlan[],
  { cwd, singledOut, notes }: JudgedPatch,
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
  return { files: ordered.map((plan) => askedFile(plan, cwd, notes)), detail: diffs.join('\n') }
}

function rankOf({ kind, path, movedTo }: FilePlan, singledOut: ReadonlySet<string>): number {
  const isFirst = singledOut.has(path.real) || (movedTo !== undefined && singledOut.has(movedTo.real))
  return (isFirst ? 0 : 2) + (kind === 'delete' ? 1 : 0)
}

/** Summarizes a deleted file by size and hash, with the headers of a diff so that programs can parse it. */
function foldedDiff({ path, deletions, isText }: FilePlan, { bytes, hash }: NonNullable<FilePlan['before']>): string {
  const lines = isText ? `${deletions} removed lines not shown` : 'not text, not shown'
  return `--- ${path.written}\n+++ /dev/null\n… ${lines}: ${bytes.length} bytes, sha256:${hash}\n`
}

function askedFile(plan: FilePlan, cwd: string, notes: JudgedPatch['notes']): AskedFile {
  const { diff: _diff, ...file } = recordChange(plan)
  const [real, realMovedTo] = [plan.path, plan.movedTo].map((path) => realPathIfLinked(path, cwd))
  const remarks = [plan.path, plan.movedTo].flatMap((path) => (path === undefined ? [] : (notes.get(path.real) ?? [])))
  return {
    ...file,
    ...(remarks.length === 0 ? {} : { notes: [...new Set(remarks)] }),
    ...(real === undefined ? {} : { real }),
    ...(realMovedTo === undefined ? {} : { realMovedTo }),
    ...(plan.kind === 'delete' && plan.before !== null ? { deletedBytes: plan.before.bytes.length } : {}),
  }
}

/** Returns the real path when it differs from the path as written. */
function realPathIfLinked(path: PatchPath | undefined, cwd: string): string | undefined {
  return path === undefined || resolve(cwd, path.written) === path.real ? undefined : path.real
}

function tooLong(characters: number): string {
  return `Not run: the user is asked about this patch and must see all that it adds and changes, which are ${characters} characters; ${maxShown} can be shown. Split it into several patches, each smaller than that. No file was changed.`
}
