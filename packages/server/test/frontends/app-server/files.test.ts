import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../../engine/support/test-server.ts'
import { appClient } from './app-client.ts'

describe('files for a client', () => {
  it('are read, listed and looked at, links followed', async () => {
    await using place = testPlace()
    place.write('a.txt', 'one\n')
    symlinkSync('a.txt', join(place.cwd, 'link'))
    mkdirSync(join(place.cwd, 'sub'))
    await using client = appClient(place.start())
    await client.initialize()
    await client.result('thread/start', { cwd: place.cwd })
    const path = join(place.cwd, 'link')
    expect(await client.result('fs/readFile', { path })).toEqual({
      dataBase64: Buffer.from('one\n').toString('base64'),
    })
    expect(await client.result('fs/getMetadata', { path })).toMatchObject({
      isFile: true,
      isDirectory: false,
      isSymlink: true,
      modifiedAtMs: expect.any(Number),
    })
    const { entries } = (await client.result('fs/readDirectory', { path: place.cwd })) as unknown as {
      entries: readonly { fileName: string }[]
    }
    expect(entries.toSorted((a, b) => (a.fileName < b.fileName ? -1 : 1))).toEqual([
      { fileName: 'a.txt', isDirectory: false, isFile: true },
      { fileName: 'link', isDirectory: false, isFile: true },
      { fileName: 'sub', isDirectory: true, isFile: false },
    ])
  })

  it('are refused where secrets are kept, where a rule denies it, and by a path that is none', async () => {
    await using place = testPlace()
    mkdirSync(join(place.root, '.ssh'))
    writeFileSync(join(place.root, '.ssh', 'id_rsa'), 'PRIVATE')
    symlinkSync(join(place.root, '.ssh', 'id_rsa'), join(place.cwd, 'harmless'))
    place.write('closed.txt', 'x')
    writeFileSync(
      join(place.root, '.parley', 'policy.toml'),
      `[[rule]]\ndecision = "deny"\npath = "${join(place.cwd, 'closed.txt')}"\n`,
    )
    await using client = appClient(place.start())
    await client.initialize()
    const errorOf = async (method: string, path: string) => (await client.ask(method, { path }))['error']
    for (const [method, path] of [
      ['fs/readFile', join(place.root, '.ssh', 'id_rsa')],
      ['fs/readFile', join(place.cwd, 'harmless')],
      ['fs/getMetadata', join(place.cwd, 'harmless')],
      ['fs/readDirectory', join(place.root, '.ssh')],
    ] as const)
      expect(await errorOf(method, path), path).toMatchObject({
        code: -32600,
        message: expect.stringContaining('policy asks about it'),
      })
    expect(await errorOf('fs/readFile', join(place.cwd, 'closed.txt'))).toMatchObject({
      message: expect.stringContaining('policy denies it'),
    })
    expect(JSON.stringify(client.received)).not.toContain(Buffer.from('PRIVATE').toString('base64').slice(0, 6))
    expect(await errorOf('fs/readFile', 'a.txt')).toMatchObject({ code: -32600 })
    expect(await errorOf('fs/readFile', place.cwd)).toMatchObject({
      code: -32600,
      message: expect.stringContaining('is not a file'),
    })
    for (const method of ['fs/readFile', 'fs/getMetadata', 'fs/readDirectory'])
      expect(await errorOf(method, join(place.cwd, 'missing')), method).toMatchObject({ code: -32603 })
  })

  it('are found by letters of their paths, as git has them and the best first', async () => {
    await using place = testPlace()
    for (const path of ['src/alpha.ts', 'src/deep/alphabet.ts', 'kept/alpha.log', '.gitignore']) {
      mkdirSync(dirname(join(place.cwd, path)), { recursive: true })
      place.write(path, path === '.gitignore' ? '*.log\n' : 'x\n')
    }
    await using client = appClient(place.start())
    await client.initialize()
    await client.result('thread/start', { cwd: place.cwd })
    const search = async (query: string, roots = [place.cwd]) => {
      const { files } = Object(await client.result('fuzzyFileSearch', { query, roots, cancellationToken: null }))
      return (files as readonly Record<string, unknown>[]).map((one) => [one['path'], one['match_type']])
    }
    expect(await search('alpha')).toEqual([
      ['src/alpha.ts', 'file'],
      ['src/deep/alphabet.ts', 'file'],
    ])
    expect(await search('SDEEP')).toEqual([
      ['src/deep', 'directory'],
      ['src/deep/alphabet.ts', 'file'],
    ])
    expect(await search('alphabet', [place.cwd, join(place.cwd, 'src')])).toEqual([
      ['src/deep/alphabet.ts', 'file'],
      ['deep/alphabet.ts', 'file'],
    ])
    expect(await search('')).toEqual([])
    expect(await search('alpha', [join(place.cwd, 'missing')])).toEqual([])
  })

  it('are not searched where a read would ask, or a rule denies it', async () => {
    await using place = testPlace()
    mkdirSync(join(place.root, '.ssh'))
    writeFileSync(join(place.root, '.ssh', 'id_rsa'), 'PRIVATE')
    await using client = appClient(place.start())
    await client.initialize()
    for (const root of [join(place.root, '.ssh'), place.root])
      expect((await client.ask('fuzzyFileSearch', { query: 'id', roots: [root] }))['error'], root).toMatchObject({
        code: -32600,
        message: expect.stringContaining('policy asks about it'),
      })
  })

  it('are not changed without a thread', async () => {
    await using place = testPlace()
    await using client = appClient(place.start())
    await client.initialize()
    const path = join(place.cwd, 'new.txt')
    for (const method of ['fs/writeFile', 'fs/createDirectory', 'fs/remove', 'fs/copy'])
      expect((await client.ask(method, { path, dataBase64: '' }))['error']).toMatchObject({
        code: -32600,
        message: expect.stringContaining('only by patches of a thread'),
      })
    expect(existsSync(path)).toBe(false)
  })
})
