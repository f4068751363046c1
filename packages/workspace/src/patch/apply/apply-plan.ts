import { EnvironmentUnreachableError } from '../../files/errors.ts'
import { changesAnything, changesOf, type FilePlan, type FileState } from '../file-plan.ts'
import type { FileStat, PatchAttempt, PatchTarget } from '../patch-files.ts'
import type { PatchFailure } from '../patch-report.ts'
import { type Checked, changedMeanwhile, checkUnchanged, comparePlan, fileFailure } from './compare-plan.ts'

export interface ApplyRequest {
  readonly plans: readonly FilePlan[]
  readonly files: PatchTarget
  /** Unique to this attempt; part of the names of its temporary files. */
  readonly tag: string
}

export type ApplyOutcome =
  | {
      readonly applied: true
      /** Paths of temporary files that could not be removed. */
      readonly strays: readonly string[]
    }
  | {
      readonly applied: false
      readonly failures: readonly PatchFailure[]
      /** State of the files now: all `old` unless the rollback failed or another program wrote. */
      readonly states: readonly FileState[]
    }

interface PlannedWrite {
  readonly plan: FilePlan
  readonly found: FileStat | null
  /** Name of the staged content; null when the file is deleted. */
  readonly staged: string | null
}

/**
 * Applies a plan completely or not at all: stages all new contents, then renames them.
 *
 * Each file has its old or its new content at every moment, and any failure rolls everything back. Throws
 * `EnvironmentUnreachableError` when the result is unknown.
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

interface ApplyPorts {
  readonly attempt: PatchAttempt
  readonly files: PatchTarget
}

/** Stages and commits all plans. Returns the first failure, or null. */
async function writeAll(
  plans: readonly FilePlan[],
  checks: readonly Checked[],
  ports: ApplyPorts,
): Promise<PatchFailure | null> {
  const writes: PlannedWrite[] = []
  for (const [index, plan] of plans.entries()) {
    const check = checks[index]
    const found = check?.ok ? check.found : null
    const failure = await attemptStep(plan, async () => {
      writes.push({ plan, found, staged: await stage(plan, found, ports.attempt) })
      return null
    })
    if (failure !== null) return failure
  }
  // Links last: an exec-server could not make a link again if a later step failed.
  for (const write of [...writes.filter(({ plan }) => !plan.link), ...writes.filter(({ plan }) => plan.link)]) {
    const failure = await attemptStep(write.plan, () => commit(write, ports))
    if (failure !== null) return failure
  }
  return null
}

/** Runs a step and returns its error as a value, because the caller rolls back. Throws `EnvironmentUnreachableError`, which prevents a rollback. */
async function attemptStep(plan: FilePlan, act: () => Promise<PatchFailure | null>): Promise<PatchFailure | null> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof EnvironmentUnreachableError) throw error
    return fileFailure(plan, error)
  }
}

async function stage(plan: FilePlan, found: FileStat | null, attempt: PatchAttempt): Promise<string | null> {
  if (plan.after === null) return null
  const { real } = plan.movedTo ?? plan.path
  if (plan.writesLink) return await attempt.stageLink(real, Buffer.from(plan.after.bytes).toString())
  const like = plan.mode === undefined ? found : { mode: plan.mode, owner: found?.owner ?? null }
  return await attempt.stage(real, plan.after.bytes, like)
}

async function commit(
  { plan, found, staged }: PlannedWrite,
  { attempt, files }: ApplyPorts,
): Promise<PatchFailure | null> {
  const { path, movedTo, before } = plan
  // Checked again because staging takes time, and a write by another program in between must not be lost.
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
