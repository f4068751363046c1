import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { tempWorkspace } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { noCeiling } from '../src/sandbox/machine-ceiling.ts'
import { execPlace } from './support/in-process.ts'

/** Requests that each make one part of a repository `work/y` from the folder `parts`. */
const ways: Readonly<Record<string, (at: (name: string) => string, part: string) => readonly [string, object]>> = {
  'fs/writeFile and fs/createDirectory': (at, part) =>
    part === 'HEAD' || part === 'config'
      ? ['fs/writeFile', { path: at(`work/y/${part}`), dataBase64: Buffer.from('x').toString('base64') }]
      : ['fs/createDirectory', { path: at(`work/y/${part}/below`), recursive: true }],
  'fs/copy': (at, part) => [
    'fs/copy',
    { sourcePath: at(`work/parts/${part}`), destinationPath: at(`work/y/${part}`), recursive: true },
  ],
}

const orders = [
  ['config', 'HEAD', 'objects', 'refs'],
  ['objects', 'refs', 'config', 'HEAD'],
  ['refs', 'HEAD', 'config', 'objects'],
]

const bounds = ['a sandbox policy', 'a ceiling'] as const

async function partsPlace(bound: (typeof bounds)[number]) {
  await using stack = new AsyncDisposableStack()
  const files = {
    'work/parts/HEAD': 'x',
    'work/parts/config': 'x',
    'work/parts/objects/a': '',
    'work/parts/refs/a': '',
  }
  const { path } = stack.use(await tempWorkspace({ files: { ...files, 'work/y/README': 'x' } }))
  const root = realpathSync(path)
  const work = join(root, 'work')
  const ceiling = { ...noCeiling, maxSandbox: 'workspace-write' as const, writable: [work] }
  const client = await stack.use(execPlace(bound === 'a ceiling' ? { ceiling } : {})).greeted()
  const disposal = stack.move()
  const sandbox = bound === 'a ceiling' ? {} : { sandbox: { type: 'workspace-write', writableRoots: [work] } }
  return {
    at: (name: string) => pathToFileURL(join(root, name)).href,
    /** Resolves to the code of the error; null where it was done. */
    async ask([method, params]: readonly [string, object]) {
      const { error } = await client.ask(method, { ...params, ...sandbox })
      return error === undefined ? null : error.data?.['code']
    },
    isRepository: () => ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(work, 'y', name))),
    [Symbol.asyncDispose]: () => disposal.disposeAsync(),
  }
}

const cases = bounds.flatMap((bound) =>
  Object.entries(ways).flatMap(([name, way]) => orders.map((order) => [name, order, bound, way] as const)),
)

describe('parts of a repository', () => {
  it.each(cases)('by %s in the order %o under %s are made but for the last', async (_, order, bound, way) => {
    await using place = await partsPlace(bound)
    const answers: unknown[] = []
    for (const part of order) answers.push(await place.ask(way(place.at, part)))
    expect(answers).toEqual([null, null, null, 'EROFS'])
    expect(place.isRepository()).toBe(false)
  })

  it.each(cases)('by %s in the order %o under %s make none at once', async (_, order, bound, way) => {
    await using place = await partsPlace(bound)
    const answers = await Promise.all(order.map((part) => place.ask(way(place.at, part))))
    expect(answers).toContain('EROFS')
    expect(place.isRepository()).toBe(false)
  })
})
