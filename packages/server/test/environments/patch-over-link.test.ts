import { tempWorkspace, waitUntil } from '@parley/testkit'
import {
  type ApplyOutcome,
  applyPlan,
  changesOf,
  comparePlan,
  diskPatchFiles,
  EnvironmentUnreachableError,
} from '@parley/workspace'
import { patchOf, plansOf, readTree, remoteFiles, remotePatches } from '@parley/workspace/testing'
import { describe, expect, it } from 'vitest'
import { brittleLink, type Cut } from './support/brittle-link.ts'

/** One of everything: an update, a deletion, a move into new folders, a new file in a new folder. */
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
  /** Of each file, as its content says afterwards. */
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
  // What arrived last may still be at work over there.
  const tree = await waitUntil(() => treeWithoutStrays(workspace.path), { what: 'the end of the last write' })
  const states = (await comparePlan(changesOf(plans), diskPatchFiles)).map(({ state }) => state)
  return { outcome, tree, states, changing: brittle.changing }
}

async function treeWithoutStrays(folder: string): Promise<Record<string, string | null> | null> {
  const tree = await readTree(folder)
  return Object.keys(tree).some((path) => /(?:^|\/)\./.test(path)) ? null : tree
}

describe('a patch of a far machine', { timeout: 20_000 }, () => {
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
