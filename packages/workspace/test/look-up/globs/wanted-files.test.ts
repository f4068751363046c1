import { execFileSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RepositoryShape, repositoryShapes, shapedRepository, tempDirectory, tempWorkspace } from '@parley/testkit'
import { rgPath } from '@vscode/ripgrep'
import { describe, expect, it } from 'vitest'
import { diskFiles } from '../../../src/files/disk-files.ts'
import { listDirectory } from '../../../src/look-up/list-directory.ts'
import { runUnconfined } from '../../../src/look-up/local-ripgrep.ts'
import type { Ripgrep } from '../../../src/look-up/ripgrep-run.ts'
import { searchEnvironment, searchFileNames, searchText } from '../../../src/look-up/search-text.ts'

const ripgrep: Ripgrep = { command: [rgPath], run: runUnconfined }
/** A machine with ripgrep, and one without, whose files are copied. */
const machines = {
  'with ripgrep': { there: () => Promise.resolve(ripgrep), here: ripgrep },
  'without ripgrep': { there: () => Promise.resolve(null), here: ripgrep },
}

interface Asked {
  readonly pattern?: string
  readonly globs?: readonly string[]
  readonly path?: string
  readonly includeIgnored?: boolean
}

async function search(cwd: string, asked: Asked, machine: keyof typeof machines = 'with ripgrep'): Promise<string> {
  const { pattern, globs = [], path = '.', includeIgnored = false } = asked
  const outcome = await searchEnvironment({
    environment: { files: diskFiles, search: machines[machine] },
    ...{ roots: [], includeIgnored, cwd, path: join(cwd, path), shownPath: path, globs },
    search: (where) => (pattern === undefined ? searchFileNames(where) : searchText({ ...where, pattern })),
  })
  return outcome.kind === 'searched' ? outcome.text : outcome.message
}

/** Paths in the answer of a search. */
const shown = (text: string) => [...text.matchAll(/^(?!\d+[:-]|\[|No )(.+)$/gm)].map(([path]) => path).sort()

const project = {
  '.gitignore': 'node_modules\n*.log\n.env\ndist\n!keep.log\n',
  ...{ 'src/a.ts': 'zork\n', 'src/b.js': 'zork\n', 'src/dist/o.ts': 'zork\n', 'src/deep/c.ts': 'zork\n' },
  ...{
    'node_modules/x/i.ts': 'zork\n',
    'app.log': 'zork\n',
    'keep.log': 'zork\n',
    '.env': 'zork\n',
    'top.ts': 'zork\n',
  },
}

describe.each(['with ripgrep', 'without ripgrep'] as const)('globs, on a machine %s', (machine) => {
  it.each([
    { globs: [], finds: ['keep.log', 'src/a.ts', 'src/b.js', 'src/deep/c.ts', 'top.ts'] },
    { globs: ['*'], finds: ['keep.log', 'src/a.ts', 'src/b.js', 'src/deep/c.ts', 'top.ts'] },
    { globs: ['**'], finds: ['keep.log', 'src/a.ts', 'src/b.js', 'src/deep/c.ts', 'top.ts'] },
    { globs: ['**/*'], finds: ['keep.log', 'src/a.ts', 'src/b.js', 'src/deep/c.ts', 'top.ts'] },
    { globs: ['src/**'], finds: ['src/a.ts', 'src/b.js', 'src/deep/c.ts'] },
    { globs: ['*.log'], finds: ['keep.log'] },
    { globs: ['*.{ts,log}'], finds: ['keep.log', 'src/a.ts', 'src/deep/c.ts', 'top.ts'] },
    { globs: ['*.ts', '*.js'], finds: ['src/a.ts', 'src/b.js', 'src/deep/c.ts', 'top.ts'] },
    { globs: ['*.ts', '!src/deep/**'], finds: ['src/a.ts', 'top.ts'] },
    { globs: ['!*.ts'], finds: ['keep.log', 'src/b.js'] },
    { globs: ['.env', 'node_modules/**', 'dist/**'], finds: [] },
  ])('$globs lift no rule', async ({ globs, finds }) => {
    await using workspace = await tempWorkspace({ files: project })
    const ofText = await search(workspace.path, { pattern: 'zork', globs }, machine)
    expect(shown(ofText)).toEqual(finds)
    const ofNames = await search(workspace.path, { globs }, machine)
    expect(shown(ofNames).filter((path) => path !== '.gitignore')).toEqual(finds)
  })

  it('reach what is ignored where that is asked for', async () => {
    await using workspace = await tempWorkspace({ files: project })
    const all = { pattern: 'zork', includeIgnored: true }
    expect(shown(await search(workspace.path, { ...all, globs: ['node_modules/**', 'src/**/*.ts'] }, machine))).toEqual(
      ['node_modules/x/i.ts', 'src/a.ts', 'src/deep/c.ts', 'src/dist/o.ts'],
    )
    expect(shown(await search(workspace.path, { ...all, globs: ['.env', '*.log'] }, machine))).toEqual([
      ...['.env', 'app.log', 'keep.log'],
    ])
  })

  it.each([
    { path: 'pkg', glob: () => 'src/*.ts' },
    { path: 'pkg', glob: () => 'pkg/src/*.ts' },
    { path: 'pkg', glob: () => './src/*.ts' },
    { path: 'pkg', glob: (root: string) => `${root}/pkg/src/*.ts` },
    { path: '.', glob: () => './pkg/src/*.ts' },
    { path: '.', glob: (root: string) => `${root}/pkg/src/*.ts` },
    { path: '.', glob: () => '/pkg/src/*.ts' },
    { path: '.', glob: () => 'pkg/src' },
    { path: '.', glob: () => 'src/' },
    { path: 'pkg/src', glob: () => 'pkg/**' },
  ])('count from the path and from the working directory: $path and $glob', async ({ path, glob }) => {
    await using workspace = await tempWorkspace({ files: { 'pkg/src/a.ts': 'zork\n', 'b.ts': 'zork\n' } })
    const globs = [glob(workspace.path)]
    for (const includeIgnored of [false, true]) {
      const asked = { path, globs, includeIgnored }
      expect(shown(await search(workspace.path, asked, machine))).toEqual(['pkg/src/a.ts'])
      expect(shown(await search(workspace.path, { ...asked, pattern: 'zork' }, machine))).toEqual(['pkg/src/a.ts'])
    }
  })

  it.each([
    { asked: { globs: ['*.md'] }, why: 'no file fits the globs, which count from the working directory' },
    {
      asked: { path: 'src', globs: ['x/*'] },
      why: 'no file fits the globs, which count from src and from the working directory',
    },
    { asked: { pattern: 'nope', globs: ['src/*'] }, why: '2 files fit the globs, without a match' },
  ])('say why $asked leads to nothing', async ({ asked, why }) => {
    await using workspace = await tempWorkspace({ files: project })
    expect(await search(workspace.path, asked, machine)).toContain(`found.\n[${why}]`)
  })
})

describe('globs', () => {
  it('say that only ignored files fit', async () => {
    await using workspace = await tempWorkspace({ files: project })
    const why = '[only files that .gitignore hides fit the globs; include_ignored shows them]'
    expect(await search(workspace.path, { globs: ['node_modules/**'] })).toBe(`No files found.\n${why}`)
    expect(await search(workspace.path, { pattern: 'zork', globs: ['.env'] })).toBe(`No matches found.\n${why}`)
  })

  it('hide no file that is named as the path', async () => {
    await using workspace = await tempWorkspace({ files: project })
    expect(await search(workspace.path, { pattern: 'zork', path: 'src/a.ts', globs: ['*.md'] })).toBe(
      'src/a.ts\n1:zork',
    )
  })
})

/** A repository whose `.gitignore` names files that git tracks. */
async function trackedProject() {
  const files = {
    ...{ '.gitignore': 'tox.ini\ngen/\n', 'src.py': 'zork\n', 'tox.ini': 'zork\n', 'gen/kept.py': 'zork\n' },
    ...{ 'gen/made.py': 'zork\n', 'sub/.gitignore': '*.cfg\n', 'sub/a.cfg': 'zork\n', 'sub/b.cfg': 'zork\n' },
  }
  const workspace = await tempWorkspace({ files })
  const git = (...words: readonly string[]) => execFileSync('git', words, { cwd: workspace.path, stdio: 'ignore' })
  git('init', '-q')
  symlinkSync('/etc/passwd', join(workspace.path, 'gen/out'))
  git('add', '-f', '.gitignore', 'src.py', 'tox.ini', 'gen/kept.py', 'gen/out', 'sub/.gitignore', 'sub/a.cfg')
  return Object.assign(workspace, { git })
}

describe.each(['with ripgrep', 'without ripgrep'] as const)('files that git tracks and a rule names, %s', (machine) => {
  it('are searched and listed', async () => {
    await using workspace = await trackedProject()
    const tracked = ['gen/kept.py', 'src.py', 'sub/a.cfg', 'tox.ini']
    expect(shown(await search(workspace.path, { pattern: 'zork' }, machine))).toEqual(tracked)
    expect(shown(await search(workspace.path, { globs: ['*.{py,ini,cfg}'] }, machine))).toEqual(tracked)
    expect(shown(await search(workspace.path, { pattern: 'zork', path: 'sub' }, machine))).toEqual(['sub/a.cfg'])
    expect(shown(await search(workspace.path, { pattern: 'zork', globs: ['*.cfg'] }, machine))).toEqual(['sub/a.cfg'])
  })

  it('are those of the index as it is now', async () => {
    await using workspace = await trackedProject()
    await search(workspace.path, { pattern: 'zork' }, machine)
    workspace.git('add', '-f', 'sub/b.cfg')
    workspace.git('rm', '-q', '--cached', 'tox.ini')
    const found = shown(await search(workspace.path, { pattern: 'zork' }, machine))
    expect(found).toEqual(['gen/kept.py', 'src.py', 'sub/a.cfg', 'sub/b.cfg'])
  })
})

/** Shapes at which git itself does not wait for ever. */
const shapes = Object.keys(repositoryShapes).filter((name): name is RepositoryShape => {
  return name in repositoryShapes && name !== 'rule files that are pipes'
})

it.each(shapes)('in a folder of the shape %s a file that rules name is found once git tracks it', async (shape) => {
  await using root = await tempDirectory()
  const { folder } = await shapedRepository(shape, root.path)
  writeFileSync(join(folder, 'ignored'), 'zork\n')
  expect(shown(await search(folder, { pattern: 'zork' }))).toEqual([])
  let finds = ['ignored']
  try {
    execFileSync('git', ['add', '-f', 'ignored'], { cwd: folder, stdio: 'ignore' })
  } catch {
    finds = []
  }
  expect(shown(await search(folder, { pattern: 'zork' }))).toEqual(finds)
})

it('a list shows files that git tracks and a rule names, and the folders that they are in', async () => {
  await using workspace = await trackedProject()
  const place = { files: diskFiles, path: workspace.path, shownPath: '.', ignoreRoot: workspace.path, depth: 3 }
  const outcome = await listDirectory(place)
  expect(outcome.kind === 'listed' && outcome.text.split('\n')).toEqual([
    ...[
      './',
      '  gen/',
      '    kept.py',
      '  sub/',
      '    .gitignore',
      '    a.cfg',
      '  .gitignore',
      '  src.py',
      '  tox.ini',
    ],
    '[4 ignored entries not shown]',
  ])
})
