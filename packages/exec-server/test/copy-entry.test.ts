import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { tempWorkspace } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { execPlace } from './support/in-process.ts'

/** Folder `work` beside a folder `out`, with a file that must not be read, and a client. */
async function copyPlace() {
  await using stack = new AsyncDisposableStack()
  const files = {
    'work/a': 'one',
    'work/dir/x': 'x',
    'work/dir/sub/y': 'y',
    'out/victim': 'victim',
    'out/key': 'secret',
  }
  const { path: root } = stack.use(await tempWorkspace({ files }))
  const at = (name: string) => join(root, name)
  const client = await stack.use(execPlace({ secrets: [at('out/key'), at('work/dir/sub/hidden')] })).greeted()
  const disposal = stack.move()
  return {
    at,
    read: (name: string) => readFileSync(at(name), 'utf8'),
    /** Resolves to what a copy is answered with: `done`, or the code of its error. */
    async copy(from: string, to: string, more: Record<string, unknown> = {}) {
      const paths = { sourcePath: pathToFileURL(at(from)).href, destinationPath: pathToFileURL(at(to)).href }
      const { result, error } = await client.ask('fs/copy', { ...paths, recursive: false, ...more })
      return error === undefined ? result : [error.code, error.data?.['code']]
    },
    sandbox: { type: 'workspace-write', writableRoots: [at('work')] },
    client,
    [Symbol.asyncDispose]: () => disposal.disposeAsync(),
  }
}

const recursive = { recursive: true }

describe('a copy', () => {
  it('of a file has its content and its permission bits, in place of one that was there', async () => {
    await using place = await copyPlace()
    chmodSync(place.at('work/a'), 0o4751)
    expect(await place.copy('work/a', 'work/b')).toEqual({})
    writeFileSync(place.at('work/c'), 'longer than one')
    expect(await place.copy('work/a', 'work/c', recursive)).toEqual({})
    for (const name of ['work/b', 'work/c'])
      expect([place.read(name), statSync(place.at(name)).mode & 0o7777]).toEqual(['one', 0o751])
    symlinkSync('c', place.at('work/to-c'))
    expect(await place.copy('work/dir/x', 'work/to-c')).toEqual({})
    expect([place.read('work/c'), lstatSync(place.at('work/to-c')).isSymbolicLink()]).toEqual(['x', true])
    expect(readdirSync(place.at('work')).filter((name) => name.startsWith('.parley-'))).toEqual([])
  })

  it('of a file onto itself, by whatever name, leaves it as it is', async () => {
    await using place = await copyPlace()
    symlinkSync('a', place.at('work/same'))
    expect(await place.copy('work/a', 'work/a')).toEqual({})
    expect(await place.copy('work/a', 'work/same')).toEqual({})
    expect(place.read('work/a')).toBe('one')
  })

  it('of a link is a link, also of one that leads nowhere', async () => {
    await using place = await copyPlace()
    for (const [name, target] of [
      ['file', 'a'],
      ['folder', 'dir'],
      ['nothing', 'none'],
    ] as const) {
      symlinkSync(target, place.at(`work/to-${name}`))
      expect(await place.copy(`work/to-${name}`, `work/copy-${name}`)).toEqual({})
      expect(lstatSync(place.at(`work/copy-${name}`)).isSymbolicLink()).toBe(true)
    }
  })

  it('of a folder has all below it, with links as links and without pipes', async () => {
    await using place = await copyPlace()
    symlinkSync('x', place.at('work/dir/link'))
    await place.client.run('p', ['mkfifo', place.at('work/dir/pipe')])
    mkdirSync(place.at('work/dir/empty'))
    expect(await place.copy('work/dir', 'work/new', recursive)).toEqual({})
    expect(readdirSync(place.at('work/new'), { recursive: true }).toSorted()).toEqual(
      ['empty', 'link', 'sub', 'sub/y', 'x'].toSorted(),
    )
    expect(lstatSync(place.at('work/new/link')).isSymbolicLink()).toBe(true)
    expect(place.read('work/new/sub/y')).toBe('y')
  })

  it.each([
    ['what is not there', 'work/none', 'work/b', recursive, [-32004, 'ENOENT']],
    ['a file into no folder', 'work/a', 'work/none/b', {}, [-32004, 'ENOENT']],
    ['a file onto a folder', 'work/a', 'work/dir', {}, [-32603, 'EISDIR']],
    ['a folder, not recursive', 'work/dir', 'work/new', {}, [-32600, 'folderNeedsRecursive']],
    ['a folder onto itself', 'work/dir', 'work/dir', recursive, [-32600, 'copyIntoItself']],
    ['a folder into itself', 'work/dir', 'work/dir/sub/new', recursive, [-32600, 'copyIntoItself']],
    ['a folder onto a folder', 'work/dir', 'out', recursive, [-32603, 'EEXIST']],
    ['a folder onto a file', 'work/dir', 'work/a', recursive, [-32603, 'EEXIST']],
    ['a device', '../../../../../../../../dev/zero', 'work/b', {}, [-32600, 'kindNotCopied']],
  ])('of %s is refused, and changes nothing', async (_, from, to, more, answer) => {
    await using place = await copyPlace()
    const before = readdirSync(place.at('.'), { recursive: true }).toSorted()
    expect(await place.copy(from, to, more)).toEqual(answer)
    expect(readdirSync(place.at('.'), { recursive: true }).toSorted()).toEqual(before)
    expect([place.read('work/a'), place.read('out/victim')]).toEqual(['one', 'victim'])
  })

  it('needs both paths', async () => {
    await using place = await copyPlace()
    const { error } = await place.client.ask('fs/copy', { sourcePath: place.at('work/a') })
    expect(error).toMatchObject({ code: -32602, data: { field: 'destinationPath' } })
  })
})

describe('a copy under a sandbox policy', () => {
  it('is made in its writable roots, of what may be read', async () => {
    await using place = await copyPlace()
    const { sandbox } = place
    expect(await place.copy('work/a', 'work/b', { sandbox })).toEqual({})
    expect(await place.copy('out/victim', 'work/c', { sandbox })).toEqual({})
    expect(await place.copy('work/dir', 'work/new', { sandbox, ...recursive })).toEqual({})
    for (const name of ['config', 'objects', 'refs']) mkdirSync(place.at(`work/dir/${name}`))
    expect(await place.copy('work/dir', 'work/ordinary', { sandbox, ...recursive })).toEqual({})
    expect([place.read('work/c'), place.read('work/new/sub/y')]).toEqual(['victim', 'y'])
  })

  it.each([
    ['outside of the roots', 'work/a', 'out/b', 'EROFS'],
    ['onto a file outside', 'work/a', 'out/victim', 'EROFS'],
    ['through a link to the outside', 'work/a', 'work/link/b', 'EROFS'],
    ['through a link that leads outside', 'work/a', 'work/straight', 'EROFS'],
    ['of a folder to the outside', 'work/dir', 'out/new', 'EROFS'],
    ['of a link to the outside', 'work/straight', 'out/new', 'EROFS'],
    ['to a protected name', 'work/a', 'work/.git/config', 'EROFS'],
    ['of a folder as a protected one', 'work/dir', 'work/.vscode', 'EROFS'],
    ['of a folder with a protected name in it', 'out/repository', 'work/new', 'EROFS'],
    ['of a folder that git takes for a repository', 'out/bare', 'work/new', 'EROFS'],
    ['of a folder with such a one below', 'out/holder', 'work/new', 'EROFS'],
    ['of a folder that names a repository elsewhere', 'out/pointer', 'work/new', 'EROFS'],
    ['of the last folder of a repository', 'out/bare/refs', 'work/almost/refs', 'EROFS'],
    ['of the last file of a repository', 'out/bare/HEAD', 'work/headless/HEAD', 'EROFS'],
    ['of a secret', 'out/key', 'work/b', 'EACCES'],
    ['of a secret by a link on the way', 'work/link/key', 'work/b', 'EACCES'],
    ['of a folder with a secret in it', 'work/dir', 'work/new', 'EACCES'],
  ])('%s is refused, and changes nothing', async (_, from, to, code) => {
    await using place = await copyPlace()
    symlinkSync(place.at('out'), place.at('work/link'))
    symlinkSync(place.at('out/victim'), place.at('work/straight'))
    mkdirSync(place.at('work/.git'))
    mkdirSync(place.at('out/repository/deep/.git/hooks'), { recursive: true })
    for (const folder of ['out/bare', 'out/holder/a/b', 'work/headless']) {
      mkdirSync(place.at(`${folder}/objects`), { recursive: true })
      mkdirSync(place.at(`${folder}/refs`))
      writeFileSync(place.at(`${folder}/config`), '[core]\n\tfsmonitor = ./run\n')
    }
    mkdirSync(place.at('work/almost/objects'), { recursive: true })
    mkdirSync(place.at('out/pointer'))
    writeFileSync(place.at('out/pointer/commondir'), '../elsewhere\n')
    for (const folder of ['out/bare', 'out/holder/a/b', 'out/pointer', 'work/almost'])
      writeFileSync(place.at(`${folder}/HEAD`), 'ref: refs/heads/main\n')
    if (code === 'EACCES') writeFileSync(place.at('work/dir/sub/hidden'), 'secret')
    const before = readdirSync(place.at('.'), { recursive: true }).toSorted()
    expect(await place.copy(from, to, { sandbox: place.sandbox, ...recursive })).toEqual([-32603, code])
    expect(readdirSync(place.at('.'), { recursive: true }).toSorted()).toEqual(before)
    expect(place.read('out/victim')).toBe('victim')
    expect(existsSync(place.at('work/new'))).toBe(false)
  })
})
