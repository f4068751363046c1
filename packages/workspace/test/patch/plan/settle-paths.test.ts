import { tempWorkspace } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { diskPatchFiles } from '../../../src/patch/apply/disk-patch-files.ts'
import { settlePaths } from '../../../src/patch/plan/settle-paths.ts'

describe('the a/ of a diff before a path', () => {
  it('is left out where only the file without it is there', async () => {
    await using folder = await tempWorkspace({ files: { f: '1\n', 'a/g': '1\n', g: '1\n' } })
    const edits = ['a/f', 'b/f', 'a/g', 'a/none', './a/f'].map((path) => ({ kind: 'delete', path, line: 1 }) as const)
    const settled = await settlePaths(edits, folder.path, diskPatchFiles)
    expect(settled.map(({ path }) => path)).toEqual(['f', 'f', 'a/g', 'a/none', './a/f'])
    const added = [{ kind: 'add', path: 'a/f', line: 1, lines: [] }] as const
    expect(await settlePaths(added, folder.path, diskPatchFiles)).toEqual(added)
  })
})
