import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { tempWorkspace } from '@parley/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diskFiles } from '../../src/files/disk-files.ts'
import { liesWithin, resolveWorkspacePath } from '../../src/files/real-path.ts'

describe('liesWithin', () => {
  it.each([
    ['/work', '/work', true],
    ['/work/a/b', '/work', true],
    ['/work-2/a', '/work', false],
    ['/', '/work', false],
    ['/anything', '/', true],
  ])('%s in %s: %s', (path, folder, expected) => {
    expect(liesWithin(path, folder)).toBe(expected)
  })

  it('is true for any path below a folder and false for any sibling', () => {
    const name = fc.stringMatching(/^[a-z.-]{1,5}$/)
    fc.assert(
      fc.property(fc.array(name, { minLength: 1 }), fc.array(name), name, (folder, below, suffix) => {
        const outer = `/${folder.join('/')}`
        expect(liesWithin([outer, ...below].join('/'), outer)).toBe(true)
        expect(liesWithin([outer + suffix, ...below].join('/'), outer)).toBe(false)
      }),
    )
  })
})

describe('resolveWorkspacePath', () => {
  async function resolveIn(cwd: string, path: string, roots: readonly string[] = [cwd]) {
    const outcome = await resolveWorkspacePath({ path, cwd, roots, files: diskFiles })
    if (!outcome.ok) throw new Error(outcome.message)
    return outcome.path
  }

  it('resolves against the working directory and does not expand ~', async () => {
    await using workspace = await tempWorkspace({ files: { 'a/b': '' } })
    const root = workspace.path
    expect(await resolveIn(root, 'a/../a/b')).toEqual({
      absolute: join(root, 'a/b'),
      real: join(root, 'a/b'),
      insideRoots: true,
      root,
    })
    expect((await resolveIn(root, '~/x')).real).toBe(join(root, '~/x'))
  })

  it('follows links in the existing part and appends the missing part', async () => {
    await using workspace = await tempWorkspace({ files: { 'real/f': '' } })
    await symlink('real', join(workspace.path, 'link'))
    expect((await resolveIn(workspace.path, 'link/new/file')).real).toBe(join(workspace.path, 'real/new/file'))
  })

  it('reports links out of the roots, dangling ones too, as outside', async () => {
    await using outside = await tempWorkspace()
    await using workspace = await tempWorkspace()
    await symlink(outside.path, join(workspace.path, 'out'))
    await symlink(join(outside.path, 'not/yet'), join(workspace.path, 'dangling'))
    expect(await resolveIn(workspace.path, 'out/x')).toMatchObject({ insideRoots: false, root: null })
    const dangling = await resolveIn(workspace.path, 'dangling')
    expect(dangling).toMatchObject({ real: join(outside.path, 'not/yet'), insideRoots: false })
  })

  it('accepts a root that is a link and returns it as given', async () => {
    await using workspace = await tempWorkspace()
    await mkdir(join(workspace.path, 'real'))
    const root = join(workspace.path, 'link')
    await symlink('real', root)
    expect(await resolveIn(root, 'a')).toMatchObject({ real: join(workspace.path, 'real/a'), insideRoots: true, root })
  })

  it('reports paths above and beside the roots as outside', async () => {
    await using workspace = await tempWorkspace()
    expect((await resolveIn(workspace.path, '../x')).insideRoots).toBe(false)
    expect((await resolveIn(workspace.path, `${workspace.path}-2/x`)).insideRoots).toBe(false)
    expect((await resolveIn(workspace.path, '/etc/passwd')).insideRoots).toBe(false)
  })

  it('rejects NUL, empty paths and loops', async () => {
    await using workspace = await tempWorkspace()
    await symlink('loop', join(workspace.path, 'loop'))
    for (const path of ['a\0b', '', 'loop/x']) {
      expect(await resolveWorkspacePath({ path, cwd: workspace.path, roots: [], files: diskFiles })).toMatchObject({
        ok: false,
      })
    }
  })
})
