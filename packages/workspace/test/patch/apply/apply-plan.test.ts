import { chmod, link, lstat, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempWorkspace } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { type ApplyOutcome, applyPlan } from '../../../src/patch/apply/apply-plan.ts'
import { comparePlan } from '../../../src/patch/apply/compare-plan.ts'
import { diskPatchTarget, removeStrays } from '../../../src/patch/apply/disk-patch-attempt.ts'
import { diskPatchFiles } from '../../../src/patch/apply/disk-patch-files.ts'
import { changesOf, readChanges, recordChange } from '../../../src/patch/file-plan.ts'
import type { PatchFiles } from '../../../src/patch/patch-files.ts'
import { patchOf, plansOf, readTree, runPatch } from '../patch-run.ts'
import { failingFiles, TestIoError } from './failing-files.ts'

/** Patch with an update, a deletion, a move into new folders and a new file in a new folder. */
const before = { 'a.txt': '1\n', 'gone.txt': 'gone\n', 'old/name.txt': 'moved\n' }
const patch = patchOf(
  ...['*** Update File: a.txt', '-1', '+2', '*** Delete File: gone.txt'],
  ...['*** Update File: old/name.txt', '*** Move to: new/deep/name.txt', '-moved', '+changed'],
  ...['*** Add File: fresh/file.txt', '+fresh'],
)
const treeBefore = { ...before, old: null }
const treeAfter = {
  'a.txt': '2\n',
  old: null,
  new: null,
  'new/deep': null,
  'new/deep/name.txt': 'changed\n',
  fresh: null,
  'fresh/file.txt': 'fresh\n',
}

function apply(plans: Parameters<typeof applyPlan>[0]['plans'], files: PatchFiles): Promise<ApplyOutcome> {
  return applyPlan({ plans, files: diskPatchTarget(files), tag: 'i1-1' })
}

/** Counts the file operations of an application without failures. */
async function countCalls(): Promise<number> {
  await using workspace = await tempWorkspace({ files: before })
  const plans = await plansOf(patch, workspace.path)
  const counting = failingFiles(diskPatchFiles, { fails: () => false })
  await apply(plans, counting.files)
  return counting.calls.length
}

function filesOnly(tree: Record<string, string | null>): Record<string, string | null> {
  return Object.fromEntries(Object.entries(tree).filter(([, content]) => content !== null))
}

function strayNames(tree: Record<string, string | null>): string[] {
  return Object.keys(tree).filter((path) => path.includes('.parley-'))
}

describe('applyPlan', () => {
  it('changes every file and leaves no temporary file', async () => {
    await using workspace = await tempWorkspace({ files: before })
    const plans = await plansOf(patch, workspace.path)
    expect(await apply(plans, diskPatchFiles)).toEqual({ applied: true, strays: [] })
    expect(await readTree(workspace.path)).toEqual(treeAfter)
    const states = await comparePlan(changesOf(plans), diskPatchFiles)
    expect(states.map(({ state }) => state)).toEqual(['new', 'new', 'new', 'new', 'new'])
  })

  it.each([false, true])('changes all or nothing whichever call fails (after its effect: %s)', async (afterEffect) => {
    const total = await countCalls()
    for (let nth = 1; nth <= total; nth++) {
      await using workspace = await tempWorkspace({ files: before })
      const plans = await plansOf(patch, workspace.path)
      const failing = failingFiles(diskPatchFiles, { fails: (call) => call === nth, afterEffect })
      const outcome = await apply(plans, failing.files)
      const strays = await removeStrays(
        'i1-1',
        plans.flatMap(({ path, movedTo }) => [path.real, (movedTo ?? path).real]),
        diskPatchFiles,
      )
      const tree = await readTree(workspace.path)
      const where = `call ${nth}, ${failing.calls[nth - 1]}`
      if (outcome.applied) {
        expect(tree, where).toEqual(treeAfter)
        continue
      }
      expect(
        outcome.states.every(({ state }) => state === 'old'),
        where,
      ).toBe(true)
      expect(strays, where).toEqual([])
      // A folder whose creation took effect and failed may belong to another program, so it stays.
      const remaining = failing.calls[nth - 1] === 'mkdir' && afterEffect ? filesOnly(tree) : tree
      expect(remaining, where).toEqual(remaining === tree ? treeBefore : before)
    }
  })

  it('leaves every file old or new after a crash at any call, and the record shows which', async () => {
    const total = await countCalls()
    for (let nth = 1; nth <= total; nth++) {
      await using workspace = await tempWorkspace({ files: before })
      const plans = await plansOf(patch, workspace.path)
      const record = plans.map(recordChange)
      const dying = failingFiles(diskPatchFiles, { fails: (call) => call >= nth })
      await apply(plans, dying.files)
      const changes = await readChanges(record, workspace.path, diskPatchFiles)
      const states = await comparePlan(changes, diskPatchFiles)
      expect(states.every(({ state }) => state !== 'other')).toBe(true)
      const paths = changes.flatMap(({ path, movedTo }) => [path, movedTo ?? path])
      await removeStrays('i1-1', paths, diskPatchFiles)
      const tree = await readTree(workspace.path)
      expect(strayNames(tree)).toEqual([])
      const content = new Set(Object.values(tree))
      expect(content.has('moved\n') || content.has('changed\n')).toBe(true)
    }
  })

  it.each([
    ['a file to update', async (folder: string) => writeFile(join(folder, 'a.txt'), 'theirs\n')],
    ['a file to delete', async (folder: string) => writeFile(join(folder, 'gone.txt'), 'theirs\n')],
    ['a file to add', async (folder: string) => writeFile(join(folder, 'fresh'), 'theirs\n')],
    [
      'the target of a move',
      async (folder: string) => {
        await mkdir(join(folder, 'new/deep'), { recursive: true })
        await writeFile(join(folder, 'new/deep/name.txt'), 'theirs\n')
      },
    ],
    ['a file that is no longer there', async (folder: string) => rm(join(folder, 'a.txt'))],
    [
      'a file that is now a link',
      async (folder: string) => {
        await rename(join(folder, 'a.txt'), join(folder, 'b.txt'))
        await symlink('b.txt', join(folder, 'a.txt'))
      },
    ],
  ])('changes nothing when %s was changed after planning', async (_name, change) => {
    await using workspace = await tempWorkspace({ files: before })
    const plans = await plansOf(patch, workspace.path)
    await change(workspace.path)
    const changed = await readTree(workspace.path)
    expect(await apply(plans, diskPatchFiles)).toMatchObject({ applied: false })
    expect(await readTree(workspace.path)).toEqual(changed)
  })

  it('finds a deleted link as planned, deleted or changed', async () => {
    await using workspace = await tempWorkspace({ files: { real: '1\n' } })
    const link = join(workspace.path, 'link')
    await symlink('real', link)
    const plans = await plansOf(patchOf('*** Delete File: link'), workspace.path)
    const record = plans.map(recordChange)
    const states = async () =>
      (await comparePlan(await readChanges(record, workspace.path, diskPatchFiles), diskPatchFiles)).map(
        ({ state }) => state,
      )
    expect(await states()).toEqual(['old'])
    await rm(link)
    await symlink('elsewhere', link)
    expect(await states()).toEqual(['other'])
    expect(await apply(plans, diskPatchFiles)).toMatchObject({ applied: false })
    await rm(link)
    expect(await states()).toEqual(['new'])
  })

  it('detects a write during staging', async () => {
    await using workspace = await tempWorkspace({ files: before })
    const plans = await plansOf(patch, workspace.path)
    const meddling: PatchFiles = {
      ...diskPatchFiles,
      writeTemp: async (...write) => {
        await writeFile(join(workspace.path, 'a.txt'), 'theirs, longer\n')
        await diskPatchFiles.writeTemp(...write)
      },
    }
    const outcome = await apply(plans, meddling)
    expect(outcome).toMatchObject({ applied: false, failures: [{ code: 'changedMeanwhile', path: 'a.txt' }] })
    expect(await readTree(workspace.path)).toEqual({ ...treeBefore, 'a.txt': 'theirs, longer\n' })
  })

  it('does not write through a folder that was swapped for a link', async () => {
    await using workspace = await tempWorkspace({ files: { 'in/a': '1\n' } })
    await using outside = await tempWorkspace({ files: { a: '1\n' } })
    const plans = await plansOf(
      patchOf('*** Update File: in/a', '-1', '+2', '*** Add File: in/b', '+b'),
      workspace.path,
    )
    await rename(join(workspace.path, 'in'), join(workspace.path, 'aside'))
    await symlink(outside.path, join(workspace.path, 'in'))
    expect(await apply(plans, diskPatchFiles)).toMatchObject({ applied: false })
    expect(await readTree(outside.path)).toEqual({ a: '1\n' })
  })

  it('copies instead of linking where the file system has no links', async () => {
    await using workspace = await tempWorkspace({ files: before })
    const plans = await plansOf(patch, workspace.path)
    const noLinks = failingFiles(diskPatchFiles, { fails: (_call, operation) => operation === 'link', code: 'ENOTSUP' })
    expect(await apply(plans, noLinks.files)).toEqual({ applied: true, strays: [] })
    expect(await readTree(workspace.path)).toEqual(treeAfter)
  })

  it('keeps the mode of an updated or moved file', async () => {
    await using workspace = await tempWorkspace({ files: { run: '1\n', tool: 'x\n' } })
    await chmod(join(workspace.path, 'run'), 0o750)
    await chmod(join(workspace.path, 'tool'), 0o705)
    const text = patchOf('*** Update File: run', '-1', '+2', '*** Update File: tool', '*** Move to: bin/tool')
    expect(await runPatch(text, workspace.path)).toMatchObject({ ok: true })
    expect((await lstat(join(workspace.path, 'run'))).mode & 0o7777).toBe(0o750)
    expect((await lstat(join(workspace.path, 'bin/tool'))).mode & 0o7777).toBe(0o705)
  })

  it('gives a new file mode 0644 at most and removes setuid from a changed one', async () => {
    await using workspace = await tempWorkspace({ files: { tool: '1\n' } })
    const at = (name: string) => join(workspace.path, name)
    await chmod(at('tool'), 0o6755)
    const mask = process.umask(0)
    try {
      const text = patchOf('*** Update File: tool', '-1', '+2', '*** Add File: new/file', '+x')
      expect(await runPatch(text, workspace.path)).toMatchObject({ ok: true })
    } finally {
      process.umask(mask)
    }
    const modes = await Promise.all(
      ['tool', 'new', 'new/file'].map(async (name) => (await lstat(at(name))).mode & 0o7777),
    )
    expect(modes).toEqual([0o755, 0o755, 0o644])
  })

  it.each([
    ['an update', ['*** Update File: a', '@@', '-1', '+2']],
    ['a move', ['*** Update File: a', '*** Move to: b', '@@', '-1', '+2']],
    ['a delete', ['*** Delete File: a']],
    ['one that is taken back', ['*** Update File: a', '@@', '-1', '+2', '*** Update File: late', '@@', '-x', '+y']],
  ])('leaves a second hard link of a file unchanged: %s', async (_, lines) => {
    await using workspace = await tempWorkspace({ files: { late: 'x\n' } })
    await using outside = await tempWorkspace({ files: { victim: '1\n' } })
    const victim = join(outside.path, 'victim')
    await chmod(victim, 0o640)
    await link(victim, join(workspace.path, 'a'))
    const plans = await plansOf(patchOf(...lines), workspace.path)
    const { mtimeMs } = await lstat(victim)
    const files: PatchFiles = {
      ...diskPatchFiles,
      rename: async (from, to) => {
        if (to.endsWith('/late')) throw new TestIoError('EIO')
        await diskPatchFiles.rename(from, to)
      },
    }
    await apply(plans, files)
    expect(await readTree(outside.path)).toEqual({ victim: '1\n' })
    expect(await lstat(victim)).toMatchObject({ mtimeMs, mode: 0o100640 })
  })

  it('does not write an unchanged file', async () => {
    await using workspace = await tempWorkspace({ files: { a: '1\n', b: '1\n' } })
    const plans = await plansOf(
      patchOf('*** Update File: a', '-1', '+1', '*** Update File: b', '-1', '+2'),
      workspace.path,
    )
    const { ino } = await lstat(join(workspace.path, 'a'))
    expect(await apply(plans, diskPatchFiles)).toMatchObject({ applied: true })
    expect((await lstat(join(workspace.path, 'a'))).ino).toBe(ino)
  })

  it('names the backup when a file cannot be restored', async () => {
    await using workspace = await tempWorkspace({ files: { a: '1\n', b: '1\n' } })
    const plans = await plansOf(
      patchOf('*** Update File: a', '-1', '+2', '*** Update File: b', '-1', '+2'),
      workspace.path,
    )
    let renames = 0
    const stuck = failingFiles(diskPatchFiles, {
      fails: (_call, operation) => {
        if (operation === 'rename') renames += 1
        return operation === 'rename' && renames > 1
      },
    })
    const outcome = await apply(plans, stuck.files)
    const backup = (await readdir(workspace.path)).find((name) => name.startsWith('.parley-'))
    expect(outcome).toMatchObject({
      applied: false,
      failures: [
        { path: 'b' },
        { message: expect.stringContaining(`old content is in ${join(workspace.path, backup ?? '')}`) },
      ],
      states: [{ state: 'new' }, { state: 'old' }],
    })
  })
})

describe('removeStrays', () => {
  it('removes only files of its own tag', async () => {
    const files = {
      '.parley-i1-0.tmp': '',
      '.parley-i1-12.tmp': '',
      '.parley-i12-0.tmp': '',
      '.parley-i1-x.tmp': '',
      a: '',
    }
    await using workspace = await tempWorkspace({ files })
    const paths = [join(workspace.path, 'a'), join(workspace.path, 'missing/b')]
    const removed = await removeStrays('i1', paths, diskPatchFiles)
    expect(removed.length).toBe(2)
    expect((await readdir(workspace.path)).sort()).toEqual(['.parley-i1-x.tmp', '.parley-i12-0.tmp', 'a'])
  })
})
