import { existsSync } from 'node:fs'
import { chmod, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startProgram, tempDirectory, tempHome, tempWorkspace } from '../src/index.ts'

test('disposing a directory removes it, read-only content included', async () => {
  let path = ''
  {
    await using workspace = await tempWorkspace({ files: { 'deep/er/file.txt': 'hello' } })
    path = workspace.path
    expect(await readFile(join(path, 'deep/er/file.txt'), 'utf8')).toBe('hello')
    await chmod(join(path, 'deep/er/file.txt'), 0o400)
  }
  expect(existsSync(path)).toBe(false)
})

test('a git workspace starts clean with one commit', async () => {
  await using workspace = await tempWorkspace({ files: { 'a.txt': 'a' }, git: true })
  const git = async (...args: [string, ...string[]]) => {
    await using run = startProgram(['git', ...args], { cwd: workspace.path })
    return (await run.result).stdout
  }
  expect(await git('status', '--porcelain')).toBe('')
  expect(await git('ls-files')).toBe('a.txt\n')
})

test('a home is private and named by its environment', async () => {
  await using home = await tempHome()
  expect(home.env.HOME).toBe(home.path)
  expect((await stat(home.env.PARLEY_HOME)).mode & 0o777).toBe(0o700)
})

test('two directories have different paths', async () => {
  await using one = await tempDirectory()
  await using two = await tempDirectory()
  expect(one.path).not.toBe(two.path)
})
