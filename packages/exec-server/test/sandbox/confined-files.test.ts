import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempWorkspace } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { execPlace } from '../support/in-process.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')

/** A workspace `work` beside a folder `out`, which holds a file that must not change and one that must not be read. */
async function twoFolders() {
  await using stack = new AsyncDisposableStack()
  const files = {
    'work/a': 'a',
    'work/deep/b': 'b',
    'out/victim': 'victim',
    'out/key': 'secret',
    'work/.git/config': '',
  }
  const { path: root } = stack.use(await tempWorkspace({ files }))
  const at = (name: string) => join(root, name)
  const client = await stack.use(execPlace({ secrets: [at('out/key')] })).greeted()
  const writable = { type: 'workspace-write', writableRoots: [at('work')] }
  const disposal = stack.move()
  return {
    at,
    async ask(method: string, name: string, more: Record<string, unknown> = {}) {
      const answer = await client.ask(`fs/${method}`, { path: at(name), sandbox: writable, ...more })
      return answer.error?.data?.['code'] ?? 'done'
    },
    async guards(params: Record<string, unknown>) {
      return (await client.ask('fs/guards', params)).result as { readonly kinds: readonly (string | null)[] }
    },
    [Symbol.asyncDispose]: () => disposal.disposeAsync(),
  }
}

describe('files under a sandbox policy', () => {
  it('stay unchanged where git looks for hooks and settings, as fs/guards reports', async () => {
    await using place = await twoFolders()
    writeFileSync(place.at('work/.git/config'), '[core]\nhooksPath = hk\n[include]\npath = ../deep/b')
    expect(await place.ask('writeFile', 'work/hk/pre-commit', { dataBase64: base64('x') })).toBe('EROFS')
    expect(await place.ask('remove', 'work/deep', { recursive: true })).toBe('EROFS')
    const paths = ['work/hk/pre-commit', 'work/deep/b', 'work/a', 'out/victim'].map(place.at)
    const { kinds } = await place.guards({ paths, writableRoots: [place.at('work')] })
    expect(kinds).toEqual(['gitHooks', 'gitSettings', null, null])
  })

  it('are written, made and removed in its writable roots', async () => {
    await using place = await twoFolders()
    expect(await place.ask('writeFile', 'work/a', { dataBase64: base64('new') })).toBe('done')
    expect(await place.ask('createDirectory', 'work/x/y', { recursive: true })).toBe('done')
    expect(await place.ask('remove', 'work/deep', { recursive: true })).toBe('done')
    expect(readFileSync(place.at('work/a'), 'utf8')).toBe('new')
    expect([existsSync(place.at('work/x/y')), existsSync(place.at('work/deep'))]).toEqual([true, false])
  })

  it('stay unchanged outside of the roots, through any link, and in protected folders', async () => {
    await using place = await twoFolders()
    symlinkSync(place.at('out'), place.at('work/link'))
    symlinkSync(place.at('out/fresh'), place.at('work/dangling'))
    mkdirSync(place.at('work-2'))
    mkdirSync(place.at('work/sub/.git/hooks'), { recursive: true })
    const writes = [
      'out/victim',
      'work/link/victim',
      'work/link/new',
      'work/../out/victim',
      'work/dangling',
      'work-2/a',
    ]
    const kept = [
      'work/.git/config',
      'work/.git/hooks/pre-commit',
      'work/.mcp.json',
      'work/.GIT/x',
      'work/sub/.vscode/a',
    ]
    for (const name of [...writes, ...kept])
      expect([name, await place.ask('writeFile', name, { dataBase64: base64('bad') })]).toEqual([name, 'EROFS'])
    for (const name of ['out', 'work/link/victim', 'work/.git', 'work/sub', 'work'])
      expect([name, await place.ask('remove', name, { recursive: true })]).toEqual([name, 'EROFS'])
    for (const name of ['out/x', 'work/link/x', 'work/.husky'])
      expect([name, await place.ask('createDirectory', name)]).toEqual([name, 'EROFS'])
    expect(readFileSync(place.at('out/victim'), 'utf8')).toBe('victim')
    expect(existsSync(place.at('work/sub/.git/hooks'))).toBe(true)
  })

  it('are not written in read-only mode, even within roots', async () => {
    await using place = await twoFolders()
    const sandbox = { type: 'read-only', writableRoots: [place.at('work')] }
    expect(await place.ask('writeFile', 'work/a', { dataBase64: base64('new'), sandbox })).toBe('EROFS')
    expect(await place.ask('writeFile', 'work/a', { dataBase64: base64('new'), sandbox: 'workspace-write' })).toBe(
      'EROFS',
    )
    expect(await place.ask('readFile', 'out/victim', { sandbox })).toBe('done')
  })

  it('are not read at secret paths, through any link', async () => {
    await using place = await twoFolders()
    symlinkSync(place.at('out/key'), place.at('work/k'))
    symlinkSync(place.at('out'), place.at('work/link'))
    for (const name of ['out/key', 'work/k', 'work/link/key'])
      expect([name, await place.ask('readFile', name), await place.ask('getMetadata', name)]).toEqual([
        name,
        'EACCES',
        'EACCES',
      ])
    const masked = { type: 'read-only', masked: [place.at('out/victim')] }
    expect(await place.ask('readFile', 'out/victim', { sandbox: masked })).toBe('EACCES')
    expect(await place.ask('readFile', 'out/victim', { sandbox: 'read-only' })).toBe('done')
    expect(await place.ask('writeFile', 'out/key', { dataBase64: '' })).toBe('EACCES')
  })

  it('stay unchanged under an unknown policy', async () => {
    await using place = await twoFolders()
    const more = { dataBase64: base64('new'), sandbox: { type: 'workspace-write', deny: ['x'] } }
    expect(await place.ask('writeFile', 'work/a', more)).toBe('sandboxNotUnderstood')
    const all = { type: 'workspace-write', writableRoots: ['/'] }
    expect(await place.ask('writeFile', 'out/victim', { dataBase64: '', sandbox: all })).toBe('sandboxNotUnderstood')
    expect(readFileSync(place.at('work/a'), 'utf8')).toBe('a')
  })
})

describe('a path with followLinks false', () => {
  it.each([
    ['writeFile', 'link/victim', { dataBase64: '' }],
    ['writeFile', 'straight', { dataBase64: '' }],
    ['createDirectory', 'link/x', {}],
    ['createDirectory', 'link/x/y', { recursive: true }],
    ['remove', 'link/victim', {}],
    ['readDirectory', 'link', {}],
    ['readFile', 'link/victim', {}],
  ])('is not followed to another place: %s %s', async (method, name, more) => {
    await using place = await twoFolders()
    symlinkSync(place.at('out'), place.at('work/link'))
    symlinkSync(place.at('out/victim'), place.at('work/straight'))
    const code = await place.ask(method, `work/${name}`, { ...more, followLinks: false, sandbox: null })
    expect(['ELOOP', 'ENOTDIR']).toContain(code)
    expect(readFileSync(place.at('out/victim'), 'utf8')).toBe('victim')
    expect(existsSync(place.at('out/x'))).toBe(false)
  })

  it('is removed recursively without following links', async () => {
    await using place = await twoFolders()
    symlinkSync(place.at('out'), place.at('work/deep/link'))
    mkdirSync(place.at('work/deep/more/still'), { recursive: true })
    writeFileSync(place.at('work/deep/more/still/c'), 'c')
    expect(await place.ask('remove', 'work/deep', { recursive: true, followLinks: false, sandbox: null })).toBe('done')
    expect(existsSync(place.at('work/deep'))).toBe(false)
    expect(readFileSync(place.at('out/victim'), 'utf8')).toBe('victim')
  })
})
