import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { createPolicyEnforcer } from '@parley/exec-server/src/sandbox/enforce-policy.ts'
import { createMark, type Enforcement, openHost, openSandboxes } from '@parley/host'
import { gatherPatchFacts } from '@parley/policy'
import { diskFiles, standingsHere } from '@parley/workspace'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

interface Guarded {
  readonly name: string
  /** Files by their path in the workspace, or beside it by `../`. A text that begins with `-> ` makes a link. */
  readonly files: Readonly<Record<string, string>>
  /** Path in the workspace that may not change. */
  readonly path: string
  /** Workspace, where it is not `work`. */
  readonly root?: string
  /** Files that are made after a first look at the workspace. */
  readonly later?: Readonly<Record<string, string>>
}

const repository = { '.git/HEAD': 'ref: refs/heads/main\n', '.git/objects/x': '', '.git/refs/x': '' }
const bare = { HEAD: 'ref: refs/heads/main\n', 'objects/x': '', 'refs/x': '', 'hooks/x': '' }
const hooksPath = '[core]\n\thooksPath = tools/hooks\n'
const includes = {
  '.git/config': '[include]\n\tpath = ../shared/a\n',
  'shared/a': '[includeIf "gitdir:**"]\n\tpath = deep/b\n',
  'shared/deep/b': '[core]\n\thooksPath = tools/hooks\n',
  'tools/hooks/pre-commit': '',
}

const guarded: readonly Guarded[] = [
  { name: 'settings of the repository', files: { ...repository, '.git/config': '' }, path: '.git/config' },
  { name: 'a new hook', files: { ...repository, '.git/hooks/x': '' }, path: '.git/hooks/pre-commit' },
  { name: 'another common folder', files: repository, path: '.git/commondir' },
  {
    name: 'a hook where core.hooksPath says',
    files: { ...repository, '.git/config': hooksPath, 'tools/hooks/pre-commit': '' },
    path: 'tools/hooks/pre-commit',
  },
  {
    name: 'a hook in a folder that is missing',
    files: { ...repository, '.git/config': hooksPath },
    path: 'tools/hooks/pre-commit',
  },
  { name: 'an included file', files: { ...repository, ...includes }, path: 'shared/a' },
  { name: 'an include of an include', files: { ...repository, ...includes }, path: 'shared/deep/b' },
  { name: 'a hook that an include names', files: { ...repository, ...includes }, path: 'tools/hooks/pre-commit' },
  {
    name: 'an included file that is missing',
    files: { ...repository, '.git/config': '[include]\npath = ../new\n' },
    path: 'new',
  },
  {
    name: 'settings behind a .git file',
    files: { '.git': 'gitdir: ./.bare\n', '.bare/config': '' },
    path: '.bare/config',
  },
  {
    name: 'a hook behind a .git file',
    files: { '.git': 'gitdir: .bare\n', '.bare/hooks/x': '' },
    path: '.bare/hooks/pre-commit',
  },
  { name: 'the .git file', files: { '.git': 'gitdir: ./.bare\n', '.bare/config': '' }, path: '.git' },
  { name: 'settings of a bare repository', files: { ...bare, config: '' }, path: 'config' },
  { name: 'a hook of a bare repository', files: bare, path: 'hooks/update' },
  {
    name: 'a hook in a work folder of a bare repository',
    files: { ...bare, config: hooksPath, 'tools/hooks/update': '' },
    path: 'tools/hooks/update',
  },
  { name: 'settings of a nested repository', files: { 'sub/.git/config': '' }, path: 'sub/.git/config' },
  {
    name: 'settings of a nested bare repository',
    files: { 'sub/HEAD': '', 'sub/objects/x': '', 'sub/refs/x': '', 'sub/config': '' },
    path: 'sub/config',
  },
  {
    name: 'settings of a repository just cloned',
    files: { ...repository, 'sub/x': '' },
    later: { 'sub/new/.git/config': '' },
    path: 'sub/new/.git/config',
  },
  {
    name: 'a nested .git that is a link',
    files: { 'real/config': '', 'sub/.git': '-> ../real' },
    path: 'sub/.git/config',
  },
  {
    name: 'settings of the user in the workspace',
    files: { '../home/.gitconfig': '[include]\n\tpath = {TOP}/work/mine\n', mine: '' },
    path: 'mine',
  },
  {
    name: 'parley settings by a link',
    files: { 'dot/config.toml': '', '../home/.parley/config.toml': '-> ../../work/dot/config.toml' },
    path: 'dot/config.toml',
  },
  {
    name: 'parley rules by a link',
    files: { 'dot/policy.toml': '', '../home/.parley/policy.toml': '-> ../../work/dot/policy.toml' },
    path: 'dot/policy.toml',
  },
  ...['.envrc', '.mcp.json', '.parley/config.toml', '.vscode/tasks.json', '.idea/x.xml', '.husky/pre-push'].flatMap(
    (path): Guarded[] => [
      { name: `${path}`, files: { [path]: 'x' }, path },
      { name: `${path} that is missing`, files: { x: '' }, path },
    ],
  ),
  ...['.envrc', '.vscode', '.parley', '.idea'].map(
    (name): Guarded => ({ name: `${name} that is a link`, files: { 'real/x': 'x', [name]: '-> real/x' }, path: name }),
  ),
  ...['.bashrc', '.profile', '.vimrc', '.zshenv', '.config/autostart/x'].flatMap((path): Guarded[] => [
    { name: `${path} of a home as workspace`, files: { [`../home/${path}`]: 'x' }, path, root: 'home' },
    { name: `${path} that is missing in a home as workspace`, files: {}, path, root: 'home' },
  ]),
]

const free: readonly Guarded[] = [
  { name: 'a source', files: { ...repository, 'src/a.ts': 'x' }, path: 'src/a.ts' },
  { name: 'a new source', files: { ...repository, 'src/x': '' }, path: 'src/b.ts' },
  {
    name: 'a file beside hooks',
    files: { ...repository, '.git/config': hooksPath, 'tools/hooks/x': '', 'tools/x': '' },
    path: 'tools/x',
  },
]

/** Makes the folders of one row: `work`, `home`. */
function lay({ files }: Pick<Guarded, 'files'>, top: string, root: string): void {
  for (const [name, given] of Object.entries(files)) {
    const text = given.replaceAll('{TOP}', top)
    const path = join(root, name)
    mkdirSync(dirname(path), { recursive: true })
    if (text.startsWith('-> ')) symlinkSync(text.slice(3), path)
    else writeFileSync(path, text)
  }
}

function open(row: Guarded) {
  const top = realpathSync(mkdtempSync('/var/tmp/parley-guarded-'))
  for (const name of ['work', 'home/.parley']) mkdirSync(join(top, name), { recursive: true })
  const root = join(top, row.root ?? 'work')
  lay(row, top, row.root === 'home' ? join(top, 'work') : root)
  const parley = join(top, 'home/.parley')
  const own = () => ['config.toml', 'policy.toml'].map((name) => join(parley, name)).filter((path) => existsSync(path))
  const around = { home: join(top, 'home'), env: {}, own }
  return { top, root, around, path: join(root, row.path), [Symbol.dispose]: () => rmSync(top, { recursive: true }) }
}

const contentOf = (path: string) => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

const host = openHost()
beforeAll(() => host.warmUp())
afterAll(() => host.close())

/** Programs of this machine by which one kind of enforcement is found. */
function withPrograms(enforcement: Enforcement): string {
  const folder = mkdtempSync('/var/tmp/parley-programs-')
  const name = enforcement === 'full' ? 'bwrap' : 'perl'
  for (const at of ['/usr/bin', '/bin']) {
    if (existsSync(join(at, name)) && !existsSync(join(folder, name))) symlinkSync(join(at, name), join(folder, name))
  }
  return folder
}

const levels = await Promise.all(
  (['full', 'partial'] as const).map(async (enforcement) => {
    const folder = withPrograms(enforcement)
    const level = { programFolders: [folder], cacheFile: join(folder, 'state', 'sandbox.json') }
    const found = (await openSandboxes(level).report()).enforcement
    return { enforcement, level, isHere: found === enforcement }
  }),
)
afterAll(() => {
  for (const { level } of levels) for (const folder of level.programFolders) rmSync(folder, { recursive: true })
})

/** Programs of one level, and what was found of them, which takes longer to find than a command to run. */
type Level = (typeof levels)[number]['level']

/** Tries to change a path in all the ways a command has, and returns whether it holds something else afterwards. */
async function commandChanges(row: Guarded, level: Level): Promise<boolean> {
  using place = open(row)
  const { root, path, around } = place
  const { own } = around
  const env = { HOME: around.home, PATH: '/usr/bin:/bin' }
  const sandboxes = openSandboxes({ ...level, env, own })
  const limits = {
    mode: 'workspace-write',
    writableRoots: [root],
    network: false,
    unixSockets: false,
    masked: [],
  } as const
  const first = row.later === undefined ? null : await sandboxes.prepare({ ...limits, scratch: null })
  if (row.later !== undefined) lay({ files: row.later }, place.top, root)
  first?.release?.()
  const before = contentOf(path)
  const sandbox = await sandboxes.prepare({ ...limits, scratch: null })
  const [top = ''] = row.path.split('/')
  const script = `echo evil > "${row.path}"; echo evil > "${row.path}.new" && mv "${row.path}.new" "${row.path}"
    rm -rf "${row.path}"; mkdir -p "${dirname(row.path)}"; echo evil > "${row.path}"
    [ "${top}" = "${row.path}" ] || mv "${top}" gone; mkdir -p "${dirname(row.path)}"; echo evil > "${row.path}"; true`
  const spec = { argv: ['sh', '-c', script], cwd: root, env: { PATH: env.PATH }, mark: createMark() }
  await host.runCommand(spec, { sandbox }).ended
  return contentOf(path) !== before
}

async function patchAsks(row: Guarded): Promise<boolean> {
  using place = open(row)
  const { root, around } = place
  if (row.later !== undefined) lay({ files: row.later }, place.top, root)
  const surroundings = {
    cwd: root,
    roots: [root],
    secrets: [],
    files: diskFiles,
    standingOf: (paths: readonly string[], roots: readonly string[]) =>
      standingsHere(paths, roots, { ...around, secrets: [] }),
  }
  const { files } = await gatherPatchFacts({ tool: 'apply_patch', paths: [row.path], patch: '' }, surroundings)
  return files.some(({ protectedBy, insideRoots }) => protectedBy !== null || !insideRoots)
}

async function writeIsRejected(row: Guarded): Promise<boolean> {
  using place = open(row)
  const { root, path, around } = place
  if (row.later !== undefined) lay({ files: row.later }, place.top, root)
  const sandboxes = openSandboxes({ cacheFile: null })
  const enforcer = createPolicyEnforcer({ ...around, sandboxes, secrets: () => Promise.resolve([]), platform: 'linux' })
  const limits = await enforcer.files({ type: 'workspace-write', writableRoots: [root] })
  return (
    (await limits?.assertWritable(await diskFiles.realPath(path)).then(
      () => false,
      () => true,
    )) === true
  )
}

describe.each(levels)('with enforcement $enforcement', { timeout: 60_000 }, ({ level, isHere }) => {
  it.skipIf(!isHere).each(guarded)('a command cannot change $name', async (row) => {
    expect(await commandChanges(row, level)).toBe(false)
  })

  it.skipIf(!isHere).each(free)('a command can change $name', async (row) => {
    expect(await commandChanges(row, level)).toBe(true)
  })
})

describe('without a question', () => {
  it.each(guarded)('a patch cannot change $name', async (row) => {
    expect(await patchAsks(row)).toBe(true)
  })

  it.each(free)('a patch changes $name', async (row) => {
    expect(await patchAsks(row)).toBe(false)
  })

  it.each(guarded)('fs/writeFile under limits cannot change $name', async (row) => {
    expect(await writeIsRejected(row)).toBe(true)
  })

  it.each(free)('fs/writeFile under limits changes $name', async (row) => {
    expect(await writeIsRejected(row)).toBe(false)
  })
})

it('the rows are what git runs by', () => {
  const row = guarded.find(({ name }) => name === 'a hook that an include names')
  if (row === undefined) throw new Error('the row is missing')
  using place = open(row)
  const git = ['-C', place.root, 'config', '--get', 'core.hooksPath']
  const said = execFileSync('git', git, {
    env: { PATH: process.env['PATH'] ?? '', HOME: place.around.home },
    encoding: 'utf8',
  })
  expect(said.trim()).toBe('tools/hooks')
})
