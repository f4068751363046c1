import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ApplyOutcome, applyPlan } from '../../src/patch/apply/apply-plan.ts'
import { diskPatchTarget } from '../../src/patch/apply/disk-patch-attempt.ts'
import { diskPatchFiles } from '../../src/patch/apply/disk-patch-files.ts'
import type { FilePlan } from '../../src/patch/file-plan.ts'
import { parsePatch } from '../../src/patch/parse/parse-patch.ts'
import type { PatchFiles } from '../../src/patch/patch-files.ts'
import { failureText, successText } from '../../src/patch/patch-report.ts'
import { type PlanOutcome, planPatch } from '../../src/patch/plan/plan-patch.ts'

/** Returns a patch text with markers around the lines. */
export function patchOf(...lines: readonly string[]): string {
  return ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n')
}

export async function planText(text: string, cwd: string, files: PatchFiles = diskPatchFiles): Promise<PlanOutcome> {
  const parsed = parsePatch(text)
  if (parsed.ok) return await planPatch({ changes: parsed.hunks, cwd, files })
  const failure = { code: 'invalidPatch', path: null, line: parsed.line, message: parsed.message } as const
  return { ok: false, failures: [failure] }
}

export async function plansOf(text: string, cwd: string): Promise<readonly FilePlan[]> {
  const outcome = await planText(text, cwd)
  if (!outcome.ok) throw new Error(failureText(outcome.failures))
  return outcome.plans
}

export async function failureCodes(text: string, cwd: string): Promise<string[]> {
  const outcome = await planText(text, cwd)
  return outcome.ok ? [] : outcome.failures.map(({ code }) => code)
}

export interface PatchRun {
  readonly ok: boolean
  /** Tool output for the model. */
  readonly text: string
}

/** Parses, plans and applies a patch. */
export async function runPatch(text: string, cwd: string, files: PatchFiles = diskPatchFiles): Promise<PatchRun> {
  const outcome = await planText(text, cwd, files)
  if (!outcome.ok) return { ok: false, text: failureText(outcome.failures) }
  const applied: ApplyOutcome = await applyPlan({ plans: outcome.plans, files: diskPatchTarget(files), tag: 'test' })
  if (applied.applied) return { ok: true, text: successText(outcome.plans) }
  return { ok: false, text: failureText(applied.failures, applied.states) }
}

/** Reads everything below a folder by relative path: files as their content, folders as null. */
export async function readTree(folder: string): Promise<Record<string, string | null>> {
  const tree: Record<string, string | null> = {}
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    const path = join(folder, name)
    const stats = await lstat(path)
    tree[name] = stats.isDirectory() ? null : await readFile(path, 'latin1')
  }
  return tree
}
