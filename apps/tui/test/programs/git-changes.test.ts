import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDirectory } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { readGitChanges } from '../../src/programs/git-changes.ts'

/** A repository with files that are committed. */
async function repository(files: Readonly<Record<string, string>>) {
  const folder = await tempDirectory()
  const env = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' }
  const git = (...words: readonly string[]) =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd: folder.path, env })
  const write = (name: string, text: string) => {
    mkdirSync(join(folder.path, name, '..'), { recursive: true })
    writeFileSync(join(folder.path, name), text)
  }
  git('init', '-q')
  for (const [name, text] of Object.entries(files)) write(name, text)
  git('add', '-A')
  git('commit', '-q', '--allow-empty', '-m', 'one')
  return {
    path: folder.path,
    git,
    write,
    read: (below = '') => readGitChanges(join(folder.path, below), env),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

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
    expect(changes).toMatchObject({ kind: 'changes', isCut: false })
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

  test('are those below the folder, with paths from there', async () => {
    await using at = await repository({ 'a.txt': 'one\n', 'sub/b.txt': 'one\n' })
    at.write('a.txt', 'two\n')
    at.write('sub/b.txt', 'two\n')
    expect(await at.read('sub')).toMatchObject({ files: [{ path: 'b.txt' }] })
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

  test('name a new file that is long or no text, without its content', async () => {
    await using at = await repository({})
    at.write('long.txt', 'x'.repeat(100_000))
    at.write('picture', 'a\0b')
    execFileSync('mkfifo', [join(at.path, 'pipe')])
    expect(await at.read()).toMatchObject({ files: [{ diff: '' }, { diff: '' }] })
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
    expect(await at.read()).toEqual({
      kind: 'problem',
      text: `${at.path} is not in the work tree of its repository.`,
    })
  })
})
