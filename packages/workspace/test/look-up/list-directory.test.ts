import { execFileSync } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { tempWorkspace } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { diskFiles } from '../../src/files/disk-files.ts'
import { type ListRequest, listDirectory } from '../../src/look-up/list-directory.ts'

async function list(root: string, options: Partial<ListRequest> = {}, name = '.'): Promise<string[]> {
  const place = { files: diskFiles, path: join(root, name), shownPath: name, ignoreRoot: root }
  const outcome = await listDirectory({ ...place, ...options })
  if (outcome.kind === 'failed') throw new Error(outcome.message)
  return outcome.text.split('\n')
}

describe('listDirectory', () => {
  it('shows folders first, sorted, to the requested depth', async () => {
    await using workspace = await tempWorkspace({ files: { 'b.txt': '', 'a.txt': '', 'z/y/x': '', 'c/d': '' } })
    expect(await list(workspace.path)).toEqual(['./', '  c/', '    d', '  z/', '    y/', '  a.txt', '  b.txt'])
    expect(await list(workspace.path, { depth: 1 })).toEqual(['./', '  c/', '  z/', '  a.txt', '  b.txt'])
    expect(await list(workspace.path, { depth: 3 }, 'z')).toEqual(['z/', '  y/', '    x'])
  })

  it('shows the targets of links and does not follow them', async () => {
    await using workspace = await tempWorkspace({ files: { 'd/x': '' } })
    await symlink('d', join(workspace.path, 'link'))
    execFileSync('mkfifo', [join(workspace.path, 'pipe')])
    expect(await list(workspace.path)).toEqual(['./', '  d/', '    x', '  link -> d', '  pipe (not a regular file)'])
  })

  it.skipIf(process.platform === 'darwin')('tells rules in capital letters from names in small ones', async () => {
    await using workspace = await tempWorkspace({ files: { '.gitignore': 'Build\n', 'build/x': '', 'Build/y': '' } })
    expect(await list(workspace.path)).toEqual([
      './',
      '  build/',
      '    x',
      '  .gitignore',
      '[1 ignored entries not shown]',
    ])
  })

  it('leaves out and counts ignored entries at every level', async () => {
    const files = {
      '.gitignore': '*.log\n/dist\n!keep.log\n',
      ...{ 'a.log': '', 'keep.log': '', 'dist/x': '', '.git/HEAD': '' },
      ...{ 'sub/.gitignore': 'own\n!b.log\n', 'sub/own': '', 'sub/b.log': '', 'sub/dist/y': '', 'sub/c.log': '' },
    }
    await using workspace = await tempWorkspace({ files })
    expect(await list(workspace.path, { depth: 3 })).toEqual([
      ...['./', '  sub/', '    dist/', '      y', '    .gitignore', '    b.log', '  .gitignore', '  keep.log'],
      '[5 ignored entries not shown]',
    ])
    expect(await list(workspace.path, {}, 'sub')).toEqual([
      ...['sub/', '  dist/', '    y', '  .gitignore', '  b.log', '[2 ignored entries not shown]'],
    ])
    expect(await list(workspace.path, { depth: 1, showIgnored: true })).toEqual([
      ...['./', '  .git/', '  dist/', '  sub/', '  .gitignore', '  a.log', '  keep.log'],
    ])
  })

  it('fills the list level by level and states what is left out', async () => {
    const names = Array.from({ length: 70 }, (_, index) => `crowd/f${String(index).padStart(2, '0')}`)
    const files = Object.fromEntries([...names, 'last/x', 'y'].map((name) => [name, '']))
    await using workspace = await tempWorkspace({ files })
    const lines = await list(workspace.path)
    expect(lines.slice(0, 3)).toEqual(['./', '  crowd/', '    f00'])
    expect(lines.slice(-4)).toEqual(['    … 10 more', '  last/', '    x', '  y'])
    const short = await list(workspace.path, { maxEntries: 5 })
    expect(short).toEqual([
      ...['./', '  crowd/', '    f00', '    f01', '    … 68 more', '  last/ (not opened: the list is full)', '  y'],
    ])
    expect(await list(workspace.path, { maxEntries: 2 })).toEqual([
      ...['./', '  crowd/ (not opened: the list is full)', '  last/ (not opened: the list is full)', '  … 1 more'],
    ])
  })

  it('escapes control characters in names', async () => {
    await using workspace = await tempWorkspace({ files: { 'a\u001b[2J\nb': '' } })
    expect(await list(workspace.path)).toEqual(['./', '  a\\u001b[2J\\u000ab'])
  })

  it('rejects files and suggests names similar to a missing folder', async () => {
    await using workspace = await tempWorkspace({ files: { 'source/x': '' } })
    const at = (name: string) =>
      listDirectory({ files: diskFiles, path: join(workspace.path, name), shownPath: name, ignoreRoot: workspace.path })
    expect(await at('source/x')).toMatchObject({ message: 'source/x is a file, not a folder; read it instead.' })
    expect(await at('sourc')).toMatchObject({ message: 'sourc does not exist. Similar names there: source/.' })
  })
})
