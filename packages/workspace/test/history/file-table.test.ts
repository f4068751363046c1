import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDirectory } from '@parley/testkit'
import { expect, test } from 'vitest'
import { openContentStore } from '../../src/history/content-store.ts'
import { createFileTable, type FileTable } from '../../src/history/file-table.ts'

async function tableIn(root: string, limits: { maxFiles?: number; maxBytes?: number; maxInFolder?: number } = {}) {
  const store = openContentStore(`${root}-store`)
  const table = createFileTable({ roots: [root], store, secrets: [], ...limits })
  await table.look()
  await table.keep(new AbortController().signal)
  return { store, table }
}

async function changesAfter(table: FileTable, act: () => void): Promise<unknown[]> {
  await table.look()
  act()
  const changes = (await table.look()) ?? []
  return changes
    .map(({ path, before, after }) => [
      path.split('/').pop(),
      before === null ? null : 'was',
      after === null ? null : 'is',
    ])
    .sort()
}

test('a look finds what was written, made, removed, renamed, linked and made executable', async () => {
  await using folder = await tempDirectory()
  const root = join(folder.path, 'w')
  mkdirSync(join(root, 'sub'), { recursive: true })
  for (const name of ['a', 'b', 'c', 'd', 'sub/e']) writeFileSync(join(root, name), name)
  const { table } = await tableIn(root)
  const found = await changesAfter(table, () => {
    writeFileSync(join(root, 'a'), 'x')
    unlinkSync(join(root, 'b'))
    renameSync(join(root, 'c'), join(root, 'sub', 'moved'))
    chmodSync(join(root, 'd'), 0o755)
    symlinkSync('a', join(root, 'link'))
    mkdirSync(join(root, 'new/deep'), { recursive: true })
    writeFileSync(join(root, 'new/deep/f'), 'f')
    rmSync(join(root, 'sub/e'))
  })
  expect(found).toEqual([
    ['a', 'was', 'is'],
    ['b', 'was', null],
    ['c', 'was', null],
    ['d', 'was', 'is'],
    ['e', 'was', null],
    ['f', null, 'is'],
    ['link', null, 'is'],
    ['moved', null, 'is'],
  ])
})

test('a file that was only touched did not change', async () => {
  await using folder = await tempDirectory()
  const root = join(folder.path, 'w')
  mkdirSync(root)
  writeFileSync(join(root, 'a'), 'a')
  const { table } = await tableIn(root)
  expect(await changesAfter(table, () => utimesSync(join(root, 'a'), 1, 1))).toEqual([])
  expect(await changesAfter(table, () => writeFileSync(join(root, 'a'), 'a'))).toEqual([])
})

test('ignored files do not count, nor do those that are only no longer ignored', async () => {
  await using folder = await tempDirectory()
  const root = join(folder.path, 'w')
  mkdirSync(join(root, 'out'), { recursive: true })
  mkdirSync(join(root, '.git'))
  writeFileSync(join(root, '.gitignore'), 'out/\n*.log\n')
  writeFileSync(join(root, 'out', 'old'), '1')
  const { table } = await tableIn(root)
  const found = await changesAfter(table, () => {
    writeFileSync(join(root, 'out', 'b'), 'b')
    writeFileSync(join(root, 'a.log'), 'b')
    writeFileSync(join(root, '.git', 'index'), 'b')
  })
  expect(found).toEqual([])
  expect(await changesAfter(table, () => writeFileSync(join(root, '.gitignore'), '*.log\n'))).toEqual([
    ['.gitignore', 'was', 'is'],
  ])
  expect([...table.files.keys()].map((path) => path.slice(root.length + 1)).sort()).toEqual([
    '.gitignore',
    'out/b',
    'out/old',
  ])
})

test('a file that becomes ignored is not taken for removed', async () => {
  await using folder = await tempDirectory()
  const root = join(folder.path, 'w')
  mkdirSync(root)
  writeFileSync(join(root, 'a.log'), 'a')
  const { table } = await tableIn(root)
  expect(await changesAfter(table, () => writeFileSync(join(root, '.gitignore'), '*.log'))).toEqual([
    ['.gitignore', null, 'is'],
  ])
})

/** A repository that tracks two files which rules name, of three; with an empty place for the table. */
async function trackedFiles() {
  const folder = await tempDirectory()
  const root = join(folder.path, 'w')
  const git = (...words: readonly string[]) => execFileSync('git', words, { cwd: root, stdio: 'ignore' })
  mkdirSync(join(root, 'gen'), { recursive: true })
  writeFileSync(join(root, '.gitignore'), 'tox.ini\ngen/\n')
  for (const name of ['tox.ini', 'gen/kept', 'gen/made']) writeFileSync(join(root, name), 'a')
  git('init', '-q')
  git('add', '-f', '.gitignore', 'tox.ini', 'gen/kept')
  return { root, git, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() }
}

test('files that git tracks though a rule names them are watched', async () => {
  await using at = await trackedFiles()
  const { table } = await tableIn(at.root)
  const write = (...names: readonly string[]) => {
    for (const name of names) writeFileSync(join(at.root, name), `${name} again`)
  }
  expect(await changesAfter(table, () => write('tox.ini', 'gen/kept', 'gen/made'))).toEqual([
    ['kept', 'was', 'is'],
    ['tox.ini', 'was', 'is'],
  ])
  expect(await changesAfter(table, () => unlinkSync(join(at.root, 'gen/kept')))).toEqual([['kept', 'was', null]])
  expect(await changesAfter(table, () => write('gen/kept'))).toEqual([['kept', null, 'is']])
})

test('an index that changes tells which files those are, with no change of their own', async () => {
  await using at = await trackedFiles()
  const { table } = await tableIn(at.root)
  const watched = () => [...table.files.keys()].map((path) => path.slice(at.root.length + 1)).sort()
  expect(await changesAfter(table, () => at.git('add', '-f', 'gen/made'))).toEqual([])
  expect(watched()).toEqual(['.gitignore', 'gen/kept', 'gen/made', 'tox.ini'])
  expect(await changesAfter(table, () => writeFileSync(join(at.root, 'gen/made'), 'b'))).toEqual([
    ['made', 'was', 'is'],
  ])
  expect(await changesAfter(table, () => at.git('rm', '-q', '--cached', 'tox.ini', 'gen/kept'))).toEqual([])
  expect(await changesAfter(table, () => writeFileSync(join(at.root, 'tox.ini'), 'c'))).toEqual([])
  expect(watched()).toEqual(['.gitignore', 'gen/made'])
})

test('a file that is made and added to the index at once is new', async () => {
  await using at = await trackedFiles()
  const { table } = await tableIn(at.root)
  const made = await changesAfter(table, () => {
    mkdirSync(join(at.root, 'src'))
    for (const name of ['plain', 'src/below', 'gen/forced']) writeFileSync(join(at.root, name), 'new')
    at.git('add', '-f', 'plain', 'src', 'gen/forced')
  })
  expect(made).toEqual([
    ['below', null, 'is'],
    ['plain', null, 'is'],
  ])
  expect(await changesAfter(table, () => at.git('rm', '-q', '--cached', 'plain'))).toEqual([])
})

test('a file that git tracks and a rule names is not looked for behind a link', async () => {
  await using at = await trackedFiles()
  mkdirSync(join(at.root, '../elsewhere'))
  writeFileSync(join(at.root, '../elsewhere/kept'), 'secret')
  rmSync(join(at.root, 'gen'), { recursive: true })
  symlinkSync('../elsewhere', join(at.root, 'gen'))
  const { table } = await tableIn(at.root)
  expect([...table.files.keys()]).not.toContain(join(at.root, 'gen/kept'))
})

test('a content above the limits has no hash, and one below is kept exactly', async () => {
  await using folder = await tempDirectory()
  const root = join(folder.path, 'w')
  mkdirSync(root)
  const bytes = Buffer.from([0, 255, 10, 13, 0])
  writeFileSync(join(root, 'binary'), bytes)
  writeFileSync(join(root, 'large'), Buffer.alloc(1024 * 1024 + 1))
  const { table, store } = await tableIn(root)
  const hash = table.files.get(join(root, 'binary'))?.content?.hash ?? ''
  expect(store.read(hash)).toEqual(bytes)
  expect(table.files.get(join(root, 'large'))?.content).toEqual({ mode: expect.any(Number) })
  const { table: small } = await tableIn(root, { maxBytes: 4 })
  expect(small.files.get(join(root, 'binary'))?.content?.hash).toBeUndefined()
})

test('too many files are not watched', async () => {
  await using folder = await tempDirectory()
  const root = join(folder.path, 'w')
  mkdirSync(root)
  for (const name of ['a', 'b', 'c']) writeFileSync(join(root, name), name)
  const table = createFileTable({ roots: [root], store: openContentStore(`${root}-s`), secrets: [], maxFiles: 2 })
  expect(await table.look()).toBeNull()
})

test('places of secrets are not read', async () => {
  await using folder = await tempDirectory()
  const root = join(folder.path, 'w')
  mkdirSync(join(root, 'keys'), { recursive: true })
  writeFileSync(join(root, 'keys', 'a'), 'a')
  writeFileSync(join(root, 'token'), 'a')
  writeFileSync(join(root, 'plain'), 'a')
  const secrets = [join(root, 'keys'), join(root, 'token')]
  const table = createFileTable({ roots: [root], store: openContentStore(`${root}-s`), secrets })
  await table.look()
  expect([...table.files.keys()]).toEqual([join(root, 'plain')])
})

test('a folder with too many files is left out by itself, and all else is covered', async () => {
  await using folder = await tempDirectory()
  const root = join(folder.path, 'w')
  mkdirSync(join(root, 'many/below'), { recursive: true })
  for (let number = 0; number < 6; number += 1) writeFileSync(join(root, 'many', String(number)), 'x')
  for (const name of ['a', 'many/below/b']) writeFileSync(join(root, name), 'x')
  const { table } = await tableIn(root, { maxInFolder: 5 })
  expect(table.leftOut()).toEqual([join(root, 'many')])
  const found = await changesAfter(table, () => {
    for (const name of ['a', 'many/1', 'many/new', 'many/below/b', 'c']) writeFileSync(join(root, name), 'changed')
  })
  expect(found).toEqual([
    ['a', 'was', 'is'],
    ['b', 'was', 'is'],
    ['c', null, 'is'],
  ])
  // What comes into view by the removal of others was there before.
  const fewer = await changesAfter(table, () => {
    for (const name of ['2', '3', '4']) unlinkSync(join(root, 'many', name))
  })
  expect([fewer, table.leftOut()]).toEqual([[], []])
  expect(await changesAfter(table, () => writeFileSync(join(root, 'many/1'), 'again'))).toEqual([['1', 'was', 'is']])
})

test('a folder that gets too many files is left out from then on', async () => {
  await using folder = await tempDirectory()
  const root = join(folder.path, 'w')
  mkdirSync(root)
  writeFileSync(join(root, 'a'), 'x')
  const { table } = await tableIn(root, { maxInFolder: 5 })
  const found = await changesAfter(table, () => {
    mkdirSync(join(root, 'many'))
    for (let number = 0; number < 9; number += 1) writeFileSync(join(root, 'many', String(number)), 'x')
    writeFileSync(join(root, 'a'), 'y')
  })
  expect([found, table.leftOut()]).toEqual([[['a', 'was', 'is']], [join(root, 'many')]])
})
