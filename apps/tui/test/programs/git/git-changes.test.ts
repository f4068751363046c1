import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDirectory } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { readGitChanges } from '../../../src/programs/git/git-changes.ts'
import { repository } from './repository.ts'

describe('the changes of a folder', () => {
  test('are what differs from the last commit, staged or not, with new files', async () => {
    await using at = await repository({
      'a.txt': 'one\n',
      'old.txt': 'gone\n',
      'move.txt': '1\n2\n3\n4\n',
      '.gitignore': 'log\n',
    })
    at.write('a.txt', 'one\ntwo\n')
    at.write('ä "b".txt', 'new\n')
    at.write('log', 'ignored')
    rmSync(join(at.path, 'old.txt'))
    at.git('mv', 'move.txt', 'moved.txt')
    const changes = await at.read()
    expect(changes).toMatchObject({ kind: 'changes', isListCut: false })
    expect(changes.kind === 'changes' && [...changes.files].sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      expect.objectContaining({
        path: 'a.txt',
        kind: 'update',
        additions: 1,
        deletions: 0,
        diff: '@@ -1 +1,2 @@\n one\n+two\n',
      }),
      expect.objectContaining({ path: 'move.txt', movedTo: 'moved.txt', additions: 0, diff: '' }),
      expect.objectContaining({ path: 'old.txt', kind: 'delete', deletions: 1 }),
      expect.objectContaining({ path: 'ä "b".txt', kind: 'add', additions: 1, diff: '@@ -0,0 +1,1 @@\n+new\n' }),
    ])
  })

  test('are those of the whole repository, with paths from the folder', async () => {
    await using at = await repository({ 'a.txt': 'one\n', 'sub/b.txt': 'one\n', 'sub/sub/c.txt': 'one\n' })
    for (const name of ['a.txt', 'sub/b.txt', 'sub/sub/c.txt', 'new/d.txt']) at.write(name, 'two\n')
    expect((await at.files('sub')).map(({ path, shownBy }) => [path, shownBy])).toEqual([
      ['../a.txt', 'git diff HEAD -- ../a.txt'],
      ['b.txt', 'git diff HEAD -- b.txt'],
      ['sub/c.txt', 'git diff HEAD -- sub/c.txt'],
      ['../new/d.txt', 'cat ../new/d.txt'],
    ])
  })

  test('are all its files before the first commit', async () => {
    await using folder = await tempDirectory()
    execFileSync('git', ['init', '-q'], { cwd: folder.path })
    writeFileSync(join(folder.path, 'a.txt'), 'one\n')
    execFileSync('git', ['add', 'a.txt'], { cwd: folder.path })
    expect(await readGitChanges(folder.path, process.env)).toMatchObject({ files: [{ path: 'a.txt', kind: 'add' }] })
  })

  test('are not read where there is no repository', async () => {
    await using folder = await tempDirectory()
    expect(await readGitChanges(folder.path, process.env)).toEqual({
      kind: 'problem',
      text: `${folder.path} is in no git repository, so there is nothing to compare with.`,
    })
    expect(await readGitChanges(folder.path, { PATH: '/nowhere' })).toMatchObject({
      text: expect.stringMatching(/git is not installed/),
    })
  })

  test('have the text of every new file, and say of the others what they are', async () => {
    await using at = await repository({})
    for (let number = 0; number < 130; number += 1) at.write(`n/${number}`, `line ${number}\n`)
    at.write('big.txt', 'text\n'.repeat(20_000))
    at.write('empty', '')
    at.write('huge.txt', `${'x'.repeat(99)}\n`.repeat(4_000))
    at.write('picture', 'a\0b')
    symlinkSync('/etc/passwd', join(at.path, 'out'))
    execFileSync('mkfifo', [join(at.path, 'pipe')])
    execFileSync('git', ['init', '-q', join(at.path, 'inner')])
    at.write('inner/a.txt', 'a\n')
    const files = await at.files()
    const numbered = files.filter(({ path }) => path.startsWith('n/'))
    expect(numbered.map(({ diff }) => diff).sort()).toEqual(
      Array.from({ length: 130 }, (_, number) => `@@ -0,0 +1,1 @@\n+line ${number}\n`).sort(),
    )
    const others = files.filter(({ path }) => !path.startsWith('n/'))
    expect(others.map(({ path, additions, isWhole, diff }) => [path, additions, isWhole, diff.split('\n')[0]])).toEqual(
      [
        ['big.txt', 20_000, true, '@@ -0,0 +1,20000 @@'],
        ['empty', 0, true, '… It is empty.'],
        ['huge.txt', 2_621, false, '… Only its beginning is here: it is longer than 256 KiB.'],
        ['inner/', 0, true, '… It is a repository of its own, whose files are not looked at.'],
        ['out', 1, true, '… It is a link (mode 120000).'],
        ['picture', 0, true, '… It is no text, and 3 bytes long.'],
      ],
    )
  })

  test('say which new files were not read, beyond the limit of all', async () => {
    await using at = await repository({})
    for (let number = 10; number < 50; number += 1) at.write(`${number}`, `${'x'.repeat(99)}\n`.repeat(2_000))
    const unread = (await at.files()).filter(({ isWhole }) => !isWhole)
    expect(unread.length).toBeGreaterThan(5)
    for (const { diff } of unread) expect(diff).toBe('… It is not read here: there are too many new files.\n')
  })

  test.each([
    ['a filter', ['filter.x.clean'], '*.txt filter=x'],
    ['a filter whose name has the form of a setting', ['filter.a=b.clean'], '*.txt filter=a=b'],
    ['a filter that is a process', ['filter.x.process'], '*.txt filter=x'],
    ['a text conversion', ['diff.x.textconv'], '*.txt diff=x'],
    ['a diff program', ['diff.x.command', 'diff.external'], '*.txt diff=x'],
    ['a monitor', ['core.fsmonitor'], ''],
    ['a pager', ['core.pager', 'pager.diff'], ''],
  ])('run no program that the repository names as %s', async (_, settings, attributes) => {
    await using at = await repository({ 'a.txt': 'one\n' })
    await using outside = await tempDirectory()
    const [program, trace] = [join(outside.path, 'program'), join(outside.path, 'trace')]
    writeFileSync(program, `#!/bin/sh\ntouch '${trace}'\ncat\n`)
    chmodSync(program, 0o755)
    for (const setting of settings) at.git('config', setting, program)
    at.git('config', 'filter.x.required', 'true')
    at.write('.gitattributes', `${attributes}\n`)
    at.write('a.txt', 'two\n')
    expect(await at.read()).toMatchObject({ files: [{ path: 'a.txt', additions: 1 }, { path: '.gitattributes' }] })
    expect(existsSync(trace)).toBe(false)
  })

  test('run no program that the repository of a submodule names', async () => {
    await using at = await repository({ 'a.txt': 'one\n' })
    await using inner = await repository({ 'b.txt': 'one\n' })
    await using outside = await tempDirectory()
    const trace = join(outside.path, 'trace')
    at.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.path, 'inner')
    at.git('commit', '-qm', 'two')
    at.write('inner/b.txt', 'two\n')
    at.git('-C', 'inner', 'commit', '-qam', 'two')
    at.git('-C', 'inner', 'config', 'diff.external', `touch '${trace}' #`)
    at.git('config', 'diff.submodule', 'diff')
    expect(await at.read()).toMatchObject({ files: [{ path: 'inner', additions: 1, deletions: 1 }] })
    expect(existsSync(trace)).toBe(false)
  })

  test('are not read in another folder that the repository names as its work tree', async () => {
    await using at = await repository({ 'secret.txt': 'one\n' })
    await using outside = await tempDirectory()
    writeFileSync(join(outside.path, 'secret.txt'), 'a key\n')
    at.git('config', 'core.worktree', outside.path)
    const problem = { kind: 'problem', text: `${at.path} is not in the work tree of its repository.` }
    expect(await at.read()).toEqual(problem)
    // One above it has it in it, and is another repository.
    at.git('config', 'core.worktree', join(at.path, '..'))
    expect(await at.read()).toEqual(problem)
  })
})
