import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createMark } from '@parley/host'
import { tempWorkspace, waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { execPlace } from './support/in-process.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

async function filesPlace(files: Readonly<Record<string, string>> = {}) {
  await using stack = new AsyncDisposableStack()
  const place = stack.use(execPlace())
  const workspace = stack.use(await tempWorkspace({ files }))
  const client = await place.greeted()
  const disposal = stack.move()
  const path = (name: string) => join(workspace.path, name)
  return {
    path,
    ask: (method: string, name: string, more: Record<string, unknown> = {}) =>
      client.ask(`fs/${method}`, { path: path(name), ...more }),
    client,
    [Symbol.asyncDispose]: () => disposal.disposeAsync(),
  }
}

describe('a temporary file of a killed exec-server', () => {
  it('is removed by the next write in its folder, unless it may still be in use', async () => {
    const ofDead = `.parley-${2 ** 30}-1-${'ab'.repeat(10)}`
    const young = `.parley-${2 ** 30}-2-${'ab'.repeat(10)}`
    const ofLiving = `.parley-${createMark()}`
    const others = ['.parley-notes', '.parley-1-2-x', ofLiving, young]
    const strays = Object.fromEntries([ofDead, ...others].map((name) => [name, 'half']))
    await using place = await filesPlace({ ...strays, a: 'old' })
    for (const name of [ofDead, '.parley-notes', '.parley-1-2-x', ofLiving]) utimesSync(place.path(name), 1000, 1000)
    await place.ask('writeFile', 'a', { dataBase64: base64('new') })
    expect(readdirSync(place.path('')).toSorted()).toEqual(['a', ...others].toSorted())
  })

  it('has a name that fits beside the longest file name', async () => {
    await using place = await filesPlace()
    const name = '\u{6587}'.repeat(85)
    expect((await place.ask('writeFile', name, { dataBase64: base64('new') })).result).toBeDefined()
    expect(readFileSync(place.path(name), 'utf8')).toBe('new')
  })
})

describe('reading a file', () => {
  it('returns all of it, or the requested range', async () => {
    await using place = await filesPlace({ a: 'hello world' })
    expect((await place.ask('readFile', 'a')).result).toEqual({
      dataBase64: base64('hello world'),
      sizeBytes: 11,
      eof: true,
    })
    expect((await place.ask('readFile', 'a', { offset: 6, length: 3 })).result).toEqual({
      dataBase64: base64('wor'),
      sizeBytes: 11,
      eof: false,
    })
    expect((await place.ask('readFile', 'a', { offset: 100 })).result).toMatchObject({ dataBase64: '', eof: true })
    const uri = pathToFileURL(place.path('a')).href
    expect((await place.client.ask('fs/readFile', { path: uri })).result).toMatchObject({ sizeBytes: 11 })
  })

  it('follows no link without followLinks, in the name or on the way', async () => {
    await using place = await filesPlace({ 'folder/a': 'secret' })
    symlinkSync(place.path('folder/a'), place.path('link'))
    symlinkSync(place.path('folder'), place.path('shortcut'))
    const errorOf = async (name: string, followLinks?: boolean) =>
      (await place.ask('readFile', name, followLinks === undefined ? {} : { followLinks })).error?.data?.['code']
    expect(await Promise.all(['link', 'shortcut/a', 'folder/a'].map((name) => errorOf(name, false)))).toEqual([
      'ELOOP',
      'ELOOP',
      undefined,
    ])
    expect(await Promise.all(['link', 'shortcut/a'].map((name) => errorOf(name)))).toEqual([undefined, undefined])
  })

  it('is done in ranges when the file does not fit a message', async () => {
    await using place = await filesPlace({ large: 'x'.repeat(17 * 1024 * 1024) })
    expect((await place.ask('readFile', 'large')).error?.data).toMatchObject({ code: 'EFBIG' })
    const first = await place.ask('readFile', 'large', { length: 16 * 1024 * 1024 })
    expect(first.result).toMatchObject({ eof: false })
    const rest = await place.ask('readFile', 'large', { offset: 16 * 1024 * 1024 })
    expect(Buffer.from(String(rest.result?.['dataBase64']), 'base64')).toHaveLength(1024 * 1024)
  })

  it.each([
    ['what is not there', 'none', -32004, 'ENOENT'],
    ['what lies under a file', 'a/b', -32004, 'ENOTDIR'],
    ['a folder', '.', -32603, 'EISDIR'],
    ['a device', '/dev/zero', -32603, 'EINVAL'],
  ])('fails for %s with the name of the error', async (_, name, code, errno) => {
    await using place = await filesPlace({ a: '' })
    const path = name.startsWith('/') ? name : place.path(name)
    expect((await place.client.ask('fs/readFile', { path })).error).toMatchObject({ code, data: { code: errno } })
  })
})

describe('writing a file', () => {
  it('replaces it as a whole, keeps its mode, and follows a link', async () => {
    await using place = await filesPlace({ a: 'old' })
    chmodSync(place.path('a'), 0o751)
    symlinkSync('a', place.path('link'))
    const { ino } = statSync(place.path('a'))
    expect((await place.ask('writeFile', 'link', { dataBase64: base64('new') })).result).toEqual({
      sha256: sha256('new'),
    })
    expect(readFileSync(place.path('a'), 'utf8')).toBe('new')
    expect(statSync(place.path('a')).mode & 0o777).toBe(0o751)
    expect(statSync(place.path('a')).ino).not.toBe(ino)
    expect(readdirSync(place.path('.')).toSorted()).toEqual(['a', 'link'])
    await place.ask('writeFile', 'script', { dataBase64: '', mode: 0o700 })
    expect(statSync(place.path('script')).mode & 0o777).toBe(0o700)
  })

  it('happens only when the expected hash matches', async () => {
    await using place = await filesPlace({ a: 'old' })
    const write = (name: string, expectedHash: string | null) =>
      place.ask('writeFile', name, { dataBase64: base64('new'), expectedHash })
    expect((await write('a', sha256('other'))).error).toMatchObject({
      code: -32600,
      data: { code: 'hashMismatch', actualHash: sha256('old') },
    })
    expect((await write('a', null)).error?.data).toMatchObject({ code: 'hashMismatch' })
    expect((await write('b', sha256('old'))).error?.data).toMatchObject({ code: 'hashMismatch', actualHash: null })
    expect([readFileSync(place.path('a'), 'utf8'), readdirSync(place.path('.'))]).toEqual(['old', ['a']])
    expect((await write('a', sha256('old'))).error).toBeUndefined()
    expect((await write('b', null)).error).toBeUndefined()
    expect(readdirSync(place.path('.')).map((name) => readFileSync(place.path(name), 'utf8'))).toEqual(['new', 'new'])
  })

  it('lets one of many concurrent writers create it', async () => {
    await using place = await filesPlace()
    const answers = await Promise.all(
      ['1', '2', '3', '4'].map((text) => place.ask('writeFile', 'a', { dataBase64: base64(text), expectedHash: null })),
    )
    expect(answers.filter(({ result }) => result !== undefined)).toHaveLength(1)
    expect(readdirSync(place.path('.'))).toEqual(['a'])
  })

  it.each([
    ['a folder', '.', 'EISDIR'],
    ['a folder that is not there', 'no/such', 'ENOENT'],
  ])('fails for %s and leaves nothing', async (_, name, errno) => {
    await using place = await filesPlace()
    expect((await place.ask('writeFile', name, { dataBase64: '' })).error?.data).toMatchObject({ code: errno })
    expect(readdirSync(place.path('.'))).toEqual([])
  })
})

describe('looking at files', () => {
  it('says another state of a file after each write, also where its size and time are as before', async () => {
    await using place = await filesPlace({ a: 'aa' })
    const state = async () => (await place.ask('getMetadata', 'a')).result?.['state']
    const before = await state()
    expect([typeof before, await state()]).toEqual(['string', before])
    const { atime, mtime } = statSync(place.path('a'))
    // The clock of a file system stands still for some milliseconds.
    const isAnother = async () => {
      writeFileSync(place.path('a'), 'bb')
      utimesSync(place.path('a'), atime, mtime)
      return (await state()) !== before
    }
    expect(await waitUntil(isAnother, { what: 'another state' })).toBe(true)
    symlinkSync('a', place.path('link'))
    expect((await place.ask('getMetadata', 'link')).result?.['state']).toBe(await state())
  })

  it('returns their metadata', async () => {
    await using place = await filesPlace({ 'folder/b': 'bb', 'folder/a': '' })
    symlinkSync('b', place.path('folder/link'))
    symlinkSync('none', place.path('folder/dangling'))
    expect((await place.ask('getMetadata', 'folder/link')).result).toMatchObject({
      ...{ isFile: true, isDirectory: false, isSymlink: true, size: 2, linkTarget: 'b', executable: false },
    })
    expect((await place.ask('getMetadata', 'folder/dangling')).result).toMatchObject({
      ...{ isFile: false, isDirectory: false, isSymlink: true, linkTarget: 'none' },
    })
    const { result } = await place.ask('readDirectory', 'folder')
    expect(result?.['entries']).toEqual([
      { fileName: 'a', isDirectory: false, isFile: true, isSymlink: false },
      { fileName: 'b', isDirectory: false, isFile: true, isSymlink: false },
      { fileName: 'dangling', isDirectory: false, isFile: false, isSymlink: true },
      { fileName: 'link', isDirectory: false, isFile: false, isSymlink: true },
    ])
    const real = pathToFileURL(place.path('folder/b')).href
    expect((await place.ask('canonicalize', 'folder/link')).result).toEqual({ path: real })
    expect((await place.ask('canonicalize', 'folder/dangling')).error).toMatchObject({ code: -32004 })
    expect((await place.ask('canonicalize', 'folder/dangling', { allowMissing: true })).result).toEqual({
      path: pathToFileURL(place.path('folder/none')).href,
    })
  })

  it('makes and removes them', async () => {
    await using place = await filesPlace({ 'full/a': '' })
    expect((await place.ask('createDirectory', 'x/y')).error?.data).toMatchObject({ code: 'ENOENT' })
    expect((await place.ask('createDirectory', 'x/y', { recursive: true })).result).toEqual({})
    expect((await place.ask('createDirectory', 'x')).error?.data).toMatchObject({ code: 'EEXIST' })
    const nowhere = { path: '/proc/parley-nowhere/a', recursive: true }
    if (existsSync('/proc/self'))
      expect((await place.client.ask('fs/createDirectory', nowhere)).error?.code).toBe(-32004)
    expect((await place.ask('createDirectory', 'full/a/b', { recursive: true })).error).toMatchObject({ code: -32004 })
    expect((await place.ask('createDirectory', 'full/a', { recursive: true })).error?.data).toMatchObject({
      code: 'EEXIST',
    })
    expect((await place.ask('remove', 'full')).error?.data).toMatchObject({ code: 'ENOTEMPTY' })
    symlinkSync('full', place.path('link'))
    expect((await place.ask('remove', 'link', { recursive: true })).result).toEqual({})
    expect(existsSync(place.path('full/a'))).toBe(true)
    expect((await place.ask('remove', 'full', { recursive: true })).result).toEqual({})
    expect((await place.ask('remove', 'full')).error).toMatchObject({ code: -32004 })
    expect((await place.ask('remove', 'full', { force: true })).result).toEqual({})
    expect(readdirSync(place.path('.'))).toEqual(['x'])
  })

  it('needs an absolute path', async () => {
    await using place = await filesPlace()
    const { error } = await place.client.ask('fs/readFile', { path: 'relative' })
    expect(error).toMatchObject({ code: -32602, data: { field: 'path' } })
  })
})
