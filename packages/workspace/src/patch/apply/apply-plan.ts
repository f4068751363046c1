import { EnvironmentUnreachableError } from '../../files/errors.ts'
import { changesAnything, changesOf, type FilePlan, type FileState } from '../file-plan.ts'
import type { FileStat, PatchAttempt, PatchTarget } from '../patch-files.ts'
import type { PatchFailure } from '../patch-report.ts'
import { type Checked, changedMeanwhile, checkUnchanged, comparePlan, fileFailure } from './compare-plan.ts'

export interface ApplyRequest {
  readonly plans: readonly FilePlan[]
  readonly files: PatchTarget
  /** Unique to this attempt; see `strayName`. */
  readonly tag: string
}

export type ApplyOutcome =
  | {
      readonly applied: true
      /** Temporary files that could not be removed. */
      readonly strays: readonly string[]
    }
  | {
      readonly applied: false
      readonly failures: readonly PatchFailure[]
      /** What is on the disk now; all `old` unless the roll-back failed or someone else wrote. */
      readonly states: readonly FileState[]
    }

interface PlannedWrite {
  readonly plan: FilePlan
  readonly found: FileStat | null
  /** Path of the new content; null when the file is deleted. */
  readonly staged: string | null
}

/**
 * Writes what was planned: all new contents beside their targets first, then the renames. Each file is its old or its
 * new self at every moment; any failure puts back everything that was done. Throws `PlaceUnreachable` when it cannot be
 * told how far it came.
 */
export async function applyPlan({ plans: planned, files, tag }: ApplyRequest): Promise<ApplyOutcome> {
  const plans = planned.filter(changesAnything)
  const checks = await Promise.all(plans.map((plan) => checkUnchanged(plan, files)))
  const changed = checks.flatMap((check) => (check.ok ? [] : [check.failure]))
  if (changed.length > 0) return notApplied(changed, plans, files)

  const attempt = files.begin(tag)
  const failure = await writeAll(plans, checks, { attempt, files })
  if (failure === null) return { applied: true, strays: await attempt.conclude() }
  const stuck = (await attempt.rollBack()).map((message): PatchFailure => {
    return { code: 'fileError', path: null, line: null, message }
  })
  return notApplied([failure, ...stuck], plans, files)
}

async function notApplied(
  failures: readonly PatchFailure[],
  plans: readonly FilePlan[],
  files: PatchTarget,
): Promise<ApplyOutcome> {
  return { applied: false, failures, states: await comparePlan(changesOf(plans), files) }
}

interface Means {
  readonly attempt: PatchAttempt
  readonly files: PatchTarget
}

/** The first failure, or null. */
async function writeAll(
  plans: readonly FilePlan[],
  checks: readonly Checked[],
  means: Means,
): Promise<PatchFailure | null> {
  const writes: PlannedWrite[] = []
  for (const [index, plan] of plans.entries()) {
    const check = checks[index]
    const found = check?.ok ? check.found : null
    const failure = await attemptTo(plan, async () => {
      writes.push({ plan, found, staged: await stage(plan, found, means.attempt) })
      return null
    })
    if (failure !== null) return failure
  }
  for (const write of writes) {
    const failure = await attemptTo(write.plan, () => commit(write, means))
    if (failure !== null) return failure
  }
  return null
}

/** Any error must lead to the roll-back, so here it becomes a value, but for one that leaves nobody to roll back. */
async function attemptTo(plan: FilePlan, act: () => Promise<PatchFailure | null>): Promise<PatchFailure | null> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof EnvironmentUnreachableError) throw error
    return fileFailure(plan, error)
  }
}

async function stage(plan: FilePlan, found: FileStat | null, attempt: PatchAttempt): Promise<string | null> {
  if (plan.after === null) return null
  return await attempt.stage((plan.movedTo ?? plan.path).real, plan.after.bytes, found)
}

async function commit({ plan, found, staged }: PlannedWrite, { attempt, files }: Means): Promise<PatchFailure | null> {
  const { path, movedTo, before } = plan
  // The last look: staging took a while, and what someone wrote meanwhile must not be lost.
  if (found !== null && (await files.stat(path.real))?.stamp !== found.stamp) return changedMeanwhile(plan)
  const old = { bytes: before?.bytes ?? new Uint8Array(), stat: found }
  if (staged === null) await attempt.remove(path.real, old)
  else if (before === null) await attempt.create(staged, path.real)
  else if (movedTo === undefined) await attempt.replace(staged, path.real, old)
  else {
    await attempt.create(staged, movedTo.real)
    await attempt.remove(path.real, old)
  }
  return null
}
