import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type FolderEntry,
  fullWrite,
  planRules,
  reads,
  rightsOnFile,
  rulesetAttributes,
} from '../../../src/sandbox/landlock/rules.ts'

/** Tree in which a folder is an object, a file null, a link a string. */
interface Tree {
  readonly [name: string]: Tree | null | string
}

function listing(tree: Tree) {
  return async (path: string): Promise<readonly FolderEntry[] | null> => {
    let folder: Tree | null | string | undefined = tree
    for (const name of path.split('/').filter((part) => part !== '')) {
      folder = typeof folder === 'object' && folder !== null ? folder[name] : undefined
    }
    if (typeof folder !== 'object' || folder === null) return null
    return Object.entries(folder).map(([name, value]) => ({
      name,
      kind: value === null ? 'file' : typeof value === 'string' ? 'link' : 'folder',
    }))
  }
}

const home: Tree = {
  dev: { sda: null },
  etc: { passwd: null },
  home: {
    ann: {
      '.ssh': { id: null },
      '.bashrc': null,
      project: { '.git': {}, src: {}, 'a.ts': null },
      link: '/home/ann/.ssh',
    },
    bob: {},
  },
  bin: '/usr/bin',
}

async function plan(path: string, rights: number, holes: readonly string[]) {
  const rules = await planRules({ path, rights }, new Set(holes), listing(home))
  return Object.fromEntries(rules.map((rule) => [rule.path, rule.rights]).sort())
}

describe('rules around holes', () => {
  it('are one rule without a hole', async () => {
    expect(await plan('/home/ann/project', fullWrite, ['/etc'])).toEqual({ '/home/ann/project': fullWrite })
  })

  it('grant the siblings of a hole down to its folder, and none of the folders above it', async () => {
    const read = reads.content
    expect(await plan('/', read, ['/dev', '/home/ann/.ssh'])).toEqual({
      '/etc': read,
      '/home/ann/.bashrc': read,
      '/home/ann/project': read,
      '/home/bob': read,
    })
  })

  it('do not follow a link, which may lead to a hole', async () => {
    expect(Object.keys(await plan('/home/ann', reads.content, ['/home/ann/.ssh']))).not.toContain('/home/ann/link')
  })

  it('give a file only the rights of files', async () => {
    expect(await plan('/home/ann/project', fullWrite, ['/home/ann/project/.git'])).toEqual({
      '/home/ann/project/a.ts': rightsOnFile(fullWrite),
      '/home/ann/project/src': fullWrite,
    })
  })

  it('leave out what does not exist yet', async () => {
    const rules = await plan('/home/ann/project', fullWrite, ['/home/ann/project/.envrc'])
    expect(rules).not.toHaveProperty('/home/ann/project')
    expect(rules).toHaveProperty('/home/ann/project/src')
  })

  it('are none when the root is a hole or cannot be listed', async () => {
    expect(await plan('/dev', fullWrite, ['/dev'])).toEqual({})
    expect(await plan('/missing', fullWrite, ['/missing/.git'])).toEqual({})
  })

  it('do not match the beginning of a longer name', async () => {
    expect(await plan('/home/ann', fullWrite, ['/home/an', '/home/ann2/x'])).toEqual({ '/home/ann': fullWrite })
  })
})

describe('rules for any tree', () => {
  const name = fc.constantFrom('a', 'b', 'c')
  const { tree } = fc.letrec<{ tree: Tree; node: Tree | null }>((tie) => ({
    tree: fc.dictionary(name, tie('node'), { maxKeys: 3 }),
    node: fc.oneof({ depthSize: 'small' }, fc.constant(null), tie('tree')),
  }))
  const hole = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => `/${names.join('/')}`)
  const isAtOrBelow = (path: string, top: string) => path === top || path.startsWith(top === '/' ? top : `${top}/`)
  const filesOf = (folder: Tree, path = ''): string[] =>
    Object.entries(folder).flatMap(([entry, value]) =>
      typeof value === 'object' && value !== null ? filesOf(value, `${path}/${entry}`) : [`${path}/${entry}`],
    )

  it('grant each file outside of the holes, and none inside', async () => {
    await fc.assert(
      fc.asyncProperty(tree, fc.array(hole, { minLength: 1, maxLength: 3 }), async (files, holes) => {
        const rules = await planRules({ path: '/', rights: reads.content }, new Set(holes), listing(files))
        for (const file of filesOf(files)) {
          const isReached = rules.some(({ path }) => isAtOrBelow(file, path))
          expect(isReached).toBe(!holes.some((left) => isAtOrBelow(file, left)))
        }
        // A file made later at such a path has no rule either: the rule of a file is bound to that file.
        const folders = rules.filter(({ path }) => !filesOf(files).includes(path))
        for (const left of holes) expect(folders.filter(({ path }) => isAtOrBelow(left, path))).toEqual([])
      }),
    )
  })
})

describe('the attributes of a ruleset', () => {
  const words = (version: number, network: boolean) => {
    const attributes = rulesetAttributes(version, { network })
    return Array.from({ length: attributes.length / 8 }, (_, index) =>
      attributes.readBigUInt64LE(index * 8).toString(16),
    )
  }

  it.each([
    [3, false, ['7ffe']],
    [4, false, ['7ffe', '3']],
    [4, true, ['7ffe', '0']],
    [5, false, ['fffe', '3']],
    [6, false, ['fffe', '3', '3']],
    [7, true, ['fffe', '0', '3']],
  ])('hold what version %i knows (network %s)', (version, network, expected) => {
    expect(words(version, network)).toEqual(expected)
  })
})
