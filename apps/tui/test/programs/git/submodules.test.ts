import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDirectory } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { type Repository, repository } from './repository.ts'

/** Repository with the folder `sub`, and the submodule `lib` that has the submodule `deep`; all is committed. */
async function withSubmodules() {
  const at = await repository({ 'sub/a.txt': 'one\n' })
  for (const name of ['lib', 'lib/deep']) {
    at.write(`${name}/README.md`, 'one\n')
    at.git('-C', name, 'init', '-q')
    commitAll(at, name)
  }
  commitAll(at, 'lib')
  commitAll(at, '.')
  return at
}

function commitAll(at: Repository, name: string): void {
  at.git('-C', name, 'add', '-A')
  at.git('-C', name, 'commit', '-qm', 'all')
}

interface Shape {
  readonly what: string
  readonly change: (at: Repository) => void
  /** Paths that differ, as the folder `sub` calls them, each with a line of its diff. */
  readonly found: Readonly<Record<string, string>>
}

const shapes: readonly Shape[] = [
  { what: 'nothing', change: () => undefined, found: {} },
  {
    what: 'a changed file',
    change: (at) => at.write('lib/README.md', 'one\nzz\n'),
    found: { '../lib/README.md': '+zz' },
  },
  { what: 'a new file', change: (at) => at.write('lib/new.txt', 'zz\n'), found: { '../lib/new.txt': '+zz' } },
  {
    what: 'a change that is staged and undone',
    change: (at) => {
      at.write('lib/README.md', 'one\nzz\n')
      at.git('-C', 'lib', 'add', '-A')
      at.write('lib/README.md', 'one\n')
    },
    found: { '../lib/README.md': '… This is staged and undone in the work tree: a commit would contain it.' },
  },
  {
    what: 'a change in a submodule of its own',
    change: (at) => at.write('lib/deep/README.md', 'one\nzz\n'),
    found: { '../lib/deep/README.md': '+zz' },
  },
  {
    what: 'a change beside one of the repository around it',
    change: (at) => {
      at.write('lib/README.md', 'one\nzz\n')
      at.write('sub/a.txt', 'one\nyy\n')
    },
    found: { '../lib/README.md': '+zz', 'a.txt': '+yy' },
  },
  {
    what: 'a `.git` that leads nowhere',
    change: (at) => {
      rmSync(join(at.path, 'lib/.git'), { recursive: true })
      at.write('lib/.git', 'gitdir: gone\n')
    },
    found: { '../lib': 'It is a submodule, and what is changed inside it is not known.' },
  },
  {
    what: 'no `.git`, as one that is not checked out',
    change: (at) => rmSync(join(at.path, 'lib/.git'), { recursive: true }),
    found: {},
  },
  {
    what: 'a `.git` that is no repository',
    change: (at) => {
      rmSync(join(at.path, 'lib/.git'), { recursive: true })
      mkdirSync(join(at.path, 'lib/.git'))
    },
    found: {},
  },
]

describe('the changes inside a submodule', () => {
  test.each(shapes)('are found for $what', async ({ change, found }) => {
    await using at = await withSubmodules()
    change(at)
    const files = await at.files('sub')
    expect(files.map(({ path }) => path).sort()).toEqual(Object.keys(found))
    for (const { path, diff } of files) expect(diff).toContain(found[path])
  })

  test('are shown by the command that is named for each', async () => {
    await using at = await withSubmodules()
    for (const name of ['lib', 'lib/deep']) at.write(`${name}/README.md`, `one\nin ${name}\n`)
    const files = await at.files('sub')
    const shown = files.map(({ shownBy }) =>
      execFileSync('sh', ['-c', shownBy], { cwd: join(at.path, 'sub'), env: at.env }).toString(),
    )
    expect(shown).toEqual([expect.stringContaining('+in lib\n'), expect.stringContaining('+in lib/deep\n')])
    for (const { shownBy, path } of files) expect(shownBy).toContain(path)
  })

  test('are none of those between two commits', async () => {
    await using at = await withSubmodules()
    at.write('lib/README.md', 'one\nzz\n')
    expect(await at.files('', { kind: 'commits', range: 'HEAD..HEAD' })).toEqual([])
    expect(await at.files('', { kind: 'branch', base: 'HEAD' })).toMatchObject([{ path: 'lib/README.md' }])
  })

  test('are not known where it is not whole, which a review counts', async () => {
    await using at = await withSubmodules()
    rmSync(join(at.path, 'lib/.git'), { recursive: true })
    at.write('lib/.git', 'gitdir: gone\n')
    expect(await at.files()).toMatchObject([{ path: 'lib', isWhole: false, shownBy: 'git -C lib status' }])
  })

  test.each(['filter.x.clean', 'core.fsmonitor', 'diff.external'])(
    'run no program that it names as %s',
    async (key) => {
      await using at = await withSubmodules()
      await using outside = await tempDirectory()
      const [program, trace] = [join(outside.path, 'program'), join(outside.path, 'trace')]
      writeFileSync(program, `#!/bin/sh\ntouch '${trace}'\ncat\n`, { mode: 0o755 })
      at.git('-C', 'lib', 'config', key, program)
      at.write('lib/.gitattributes', '*.md filter=x\n')
      at.write('lib/README.md', 'one\nzz\n')
      expect((await at.files()).map(({ path }) => path)).toEqual(['lib/README.md', 'lib/.gitattributes'])
      expect(existsSync(trace)).toBe(false)
    },
  )
})
