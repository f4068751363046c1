import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tempWorkspace } from '@parley/testkit'
import { expect, it } from 'vitest'
import { liesWithin } from '../../../src/files/real-path.ts'
import { applyPlan } from '../../../src/patch/apply/apply-plan.ts'
import { diskPatchTarget } from '../../../src/patch/apply/disk-patch-attempt.ts'
import { diskPatchFiles } from '../../../src/patch/apply/disk-patch-files.ts'
import { parsePatch } from '../../../src/patch/parse/parse-patch.ts'
import { planPatch } from '../../../src/patch/plan/plan-patch.ts'
import { patchOf, readTree } from '../patch-run.ts'

const swapper = fileURLToPath(new URL('../../fixtures/swap-folders.mjs', import.meta.url))
const patches = 300

/** Program that does what a sandboxed command can do in the workspace while a patch is applied. */
async function startSwapping(place: string): Promise<AsyncDisposable> {
  const child = spawn(process.execPath, [swapper, place], { stdio: ['ignore', 'pipe', 'inherit'] })
  const gone = once(child, 'exit')
  await once(child.stdout, 'data')
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await gone
    },
  }
}

const texts = [
  (round: number) => ['*** Update File: in/a', '@@', '-1', `+${round}`],
  (round: number) => [`*** Add File: in/new-${round}/x`, '+x'],
  () => ['*** Delete File: in/b'],
  (round: number) => ['*** Update File: in/c', `*** Move to: in/moved-${round}`],
  (round: number) => ['*** Update File: top', `*** Move to: in/top-${round}`],
]

/** Plans like the tool: paths outside the workspace are refused before planning. */
async function tryPatch(round: number, cwd: string): Promise<boolean> {
  const parsed = parsePatch(patchOf(...(texts[round % texts.length]?.(round) ?? [])))
  if (!parsed.ok) throw new Error(parsed.message)
  const refusal = (real: string) => (liesWithin(real, cwd) ? null : 'it lies outside')
  const planned = await planPatch({ changes: parsed.hunks, cwd, files: diskPatchFiles, refusal })
  if (!planned.ok) return false
  const target = diskPatchTarget(diskPatchFiles)
  return (await applyPlan({ plans: planned.plans, files: target, tag: `race-${round}` })).applied
}

it('a patch changes nothing outside while a folder is swapped for a link to the outside', async () => {
  const files = { a: '1\n', b: 'b\n', c: 'c\n', 'deep/d': 'd\n' }
  await using outside = await tempWorkspace({ files })
  const inside = Object.fromEntries(Object.entries(files).map(([name, text]) => [`in/${name}`, text]))
  await using workspace = await tempWorkspace({ files: { ...inside, top: 'top\n' } })
  await symlink(outside.path, join(workspace.path, 'link'))
  let applied = 0
  {
    await using _ = await startSwapping(workspace.path)
    for (let round = 0; round < patches; round++) if (await tryPatch(round, workspace.path)) applied += 1
  }
  expect(await readTree(outside.path)).toEqual({ ...files, deep: null })
  expect(applied).toBeLessThan(patches)
})
