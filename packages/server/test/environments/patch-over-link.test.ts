import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempWorkspace, waitUntil } from '@parley/testkit'
import {
  type ApplyOutcome,
  applyPlan,
  changesOf,
  comparePlan,
  diskPatchFiles,
  EnvironmentUnreachableError,
  parsePatch,
  planPatch,
} from '@parley/workspace'
import { patchOf, plansOf, readTree, remoteFiles, remotePatches } from '@parley/workspace/testing'
import { describe, expect, it } from 'vitest'
import { brittleLink, type Cut } from './support/brittle-link.ts'

/** Patch with one of each: an update, a deletion, a move into new folders, a new file in a new folder. */
const before = { 'a.txt': '1\n', 'gone.txt': 'gone\n', 'old/name.txt': 'moved\n' }
const patch = patchOf(
  ...['*** Update File: a.txt', '-1', '+2', '*** Delete File: gone.txt'],
  ...['*** Update File: old/name.txt', '*** Move to: new/deep/name.txt', '-moved', '+changed'],
  ...['*** Add File: fresh/file.txt', '+fresh'],
)
const treeAfter = {
  'a.txt': '2\n',
  old: null,
  new: null,
  'new/deep': null,
  'new/deep/name.txt': 'changed\n',
  fresh: null,
  'fresh/file.txt': 'fresh\n',
}

interface Applied {
  readonly outcome: ApplyOutcome | EnvironmentUnreachableError
  readonly tree: Readonly<Record<string, string | null>>
  /** Versions of each file, as its content says afterwards. */
  readonly states: readonly string[]
  readonly changing: number
}

async function applyOver(cut: Cut | null): Promise<Applied> {
  await using workspace = await tempWorkspace({ files: before })
  await using brittle = brittleLink(cut)
  const plans = await plansOf(patch, workspace.path)
  const files = remotePatches(brittle.link, remoteFiles(brittle.link))
  const outcome = await applyPlan({ plans, files, tag: 'i1' }).catch((error: unknown) => {
    if (error instanceof EnvironmentUnreachableError) return error
    throw error
  })
  // The last request may still be at work over there.
  const tree = await waitUntil(() => treeWithoutStrays(workspace.path), { what: 'the end of the last write' })
  const states = (await comparePlan(changesOf(plans), diskPatchFiles)).map(({ state }) => state)
  return { outcome, tree, states, changing: brittle.changing }
}

async function treeWithoutStrays(folder: string): Promise<Record<string, string | null> | null> {
  const tree = await readTree(folder)
  return Object.keys(tree).some((path) => /(?:^|\/)\./.test(path)) ? null : tree
}

/** Applies a patch that deletes links and changes a file; `afterPlan` changes the workspace in between. */
async function deleteLinks(afterPlan: (folder: string) => Promise<void>, cut: Cut | null = null) {
  await using workspace = await tempWorkspace({ files: { 'a.txt': '1\n', 'd/x': 'x\n' } })
  await symlink('a.txt', join(workspace.path, 'link'))
  await symlink('nowhere', join(workspace.path, 'dangling'))
  await symlink('d', join(workspace.path, 'folder'))
  await using brittle = brittleLink(cut)
  const files = remotePatches(brittle.link, remoteFiles(brittle.link))
  const deletions = ['link', 'dangling', 'folder'].map((name) => `*** Delete File: ${name}`)
  const parsed = parsePatch(patchOf(...deletions, '*** Update File: a.txt', '-1', '+2'))
  const planned = await planPatch({ changes: parsed.ok ? parsed.hunks : [], cwd: workspace.path, files })
  if (!planned.ok) throw new Error(planned.failures.map(({ message }) => message).join('\n'))
  await afterPlan(workspace.path)
  const outcome = await applyPlan({ plans: planned.plans, files, tag: 'i1' })
  const names = (await readdir(workspace.path)).sort()
  return { outcome, names, content: await readFile(join(workspace.path, 'a.txt'), 'utf8'), changing: brittle.changing }
}

describe('links of a far machine', () => {
  it('are deleted, not what they lead to, also when the link to the machine breaks', async () => {
    const { changing, ...whole } = await deleteLinks(async () => undefined)
    expect(whole).toEqual({ outcome: { applied: true, strays: [] }, names: ['a.txt', 'd'], content: '2\n' })
    for (let at = 1; at <= changing; at++) {
      const { changing: _, ...again } = await deleteLinks(async () => undefined, { at, arrives: true, forGood: false })
      expect(again).toEqual(whole)
    }
  })

  it('are not deleted when one leads elsewhere since, or became a file', async () => {
    const elsewhere = await deleteLinks(async (folder) => {
      await rm(join(folder, 'link'))
      await symlink('d/x', join(folder, 'link'))
    })
    expect(elsewhere).toMatchObject({ outcome: { applied: false }, content: '1\n' })
    const file = await deleteLinks(async (folder) => {
      await rm(join(folder, 'link'))
      await writeFile(join(folder, 'link'), 'a.txt')
    })
    expect(file).toMatchObject({ outcome: { applied: false, failures: [{ code: 'changedMeanwhile' }] } })
    expect(file.names).toEqual(['a.txt', 'd', 'dangling', 'folder', 'link'])
  })
})

describe('a patch of a far machine', { timeout: 60_000 }, () => {
  it('is applied as a whole, wherever the link breaks and comes back', async () => {
    const { tree, changing } = await applyOver(null)
    expect(tree).toEqual(treeAfter)
    expect(changing).toBe(8)
    for (let at = 1; at <= changing; at++) {
      for (const arrives of [false, true]) {
        const applied = await applyOver({ at, arrives, forGood: false })
        expect(applied).toMatchObject({ outcome: { applied: true }, tree: treeAfter })
      }
    }
  })

  it('is unknown when the link does not come back, and every file is its old or its new self', async () => {
    const { changing } = await applyOver(null)
    for (let at = 1; at <= changing; at++) {
      for (const arrives of [false, true]) {
        const { outcome, states } = await applyOver({ at, arrives, forGood: true })
        expect(outcome).toBeInstanceOf(EnvironmentUnreachableError)
        expect(states).not.toContain('other')
      }
    }
  })
})
