import { mkdirSync, readFileSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { GuardSurroundings } from '../../src/paths/guarded-paths.ts'
import { openPathStandings } from '../../src/paths/path-standing.ts'
import { findSandboxGuards } from '../../src/paths/sandbox-guards.ts'
import { openWorkspace, type Workspace } from '../workspace.ts'

const repository = { 'w/.git/HEAD': 'ref: refs/heads/main\n', 'w/.git/objects/x': '', 'w/.git/refs/x': '' }

/** Makes a folder with these files; `{TOP}` in them is its real path. */
function laidOut(files: Readonly<Record<string, string>>): Workspace & { readonly top: string } {
  const workspace = openWorkspace()
  const top = realpathSync(workspace.path('.'))
  for (const [name, text] of Object.entries({ 'home/x': '', ...files })) {
    mkdirSync(dirname(join(top, name)), { recursive: true })
    writeFileSync(join(top, name), text.replaceAll('{TOP}', top))
  }
  return { ...workspace, top }
}

/** Returns why each of these paths is protected; the default workspace is `w`. */
async function kindsOf(
  { top }: { top: string },
  paths: readonly string[],
  root = 'w',
  more: Partial<GuardSurroundings> = {},
) {
  const { guardOf } = await openPathStandings([join(top, root)], { home: join(top, 'home'), ...more })
  return paths.map((path) => guardOf(join(top, path)))
}

describe('a folder of git hooks is protected', () => {
  it.each([
    ['as it is usual', '[core]\n\thooksPath = tools/hooks\n'],
    ['on the line of the section', '[core] hookspath=tools/hooks'],
    ['in quotes, behind a comment', '# no\n[core]\n; no\nhooksPath = "tools/hooks" # no'],
    ['over two lines', '[core]\nhooksPath = tools\\\n/hooks'],
    ['in pieces', '[CORE]\r\n\tHOOKSPATH = "too"ls/"hooks"\r\n'],
    ['by an absolute path', '[core]\nhooksPath = {TOP}/w/tools/hooks'],
    ['from the home', '[core]\nhooksPath = ~/../w/tools/hooks'],
    ['behind a line that is none', '[core\n= =\n[core]\nhooksPath = tools/hooks'],
    ['behind a quote that is not closed', `[core]\nx = "${'y'.repeat(10_000)}\nhooksPath = tools/hooks`],
    ['before another that counts', '[core]\nhooksPath = tools/hooks\nhooksPath = other'],
    ['from another work tree', '[core]\nworktree = ../sub\nhooksPath = ../tools/hooks'],
  ])('%s', async (_, config) => {
    using place = laidOut({ ...repository, 'w/.git/config': config, 'w/sub/x': '' })
    const paths = ['w/tools/hooks/pre-commit', 'w/tools/hooks', 'w/Tools/Hooks/x', 'w/tools/other', 'w/tools']
    expect(await kindsOf(place, paths)).toEqual(['gitHooks', 'gitHooks', 'gitHooks', null, null])
  })

  it('from the home of another user, by name', async () => {
    const home = /^daemon:.*:([^:\n]*):[^:\n]*$/m.exec(readFileSync('/etc/passwd', 'utf8'))?.[1] ?? ''
    using workspace = laidOut(repository)
    const hooks = `~daemon/${relative(home, join(workspace.top, 'w/tools/hooks'))}`
    writeFileSync(join(workspace.top, 'w/.git/config'), `[core]\nhooksPath = ${hooks}`)
    expect(await kindsOf(workspace, ['w/tools/hooks/pre-commit'])).toEqual(['gitHooks'])
  })

  it('for the repository that the workspace lies in', async () => {
    using place = laidOut({ ...repository, 'w/.git/config': '[core]\nhooksPath = a/b/hooks' })
    expect(await kindsOf(place, ['w/a/b/hooks/x', 'w/a/b/x'], 'w/a')).toEqual(['gitHooks', null])
  })

  it('with the file that is in its way', async () => {
    using place = laidOut({ ...repository, 'w/.git/config': '[core]\nhooksPath = tools/hooks', 'w/tools': 'x' })
    expect(await kindsOf(place, ['w/tools', 'w/tools/hooks/x', 'w/other'])).toEqual(['gitHooks', 'gitHooks', null])
    const { kept } = await findSandboxGuards([join(place.top, 'w')], { home: '/nowhere' })
    expect(kept).toContain(join(place.top, 'w/tools'))
  })

  it('by name where that is the workspace itself', async () => {
    using place = laidOut({ ...repository, 'w/.git/config': '[core]\nhooksPath = .' })
    expect(await kindsOf(place, ['w/pre-commit', 'w/src/pre-commit', 'w/README'])).toEqual(['gitHooks', null, null])
  })

  it('behind a link, and so is the link, which no sandbox can protect', async () => {
    using place = laidOut({ ...repository, 'w/.git/config': '[core]\nhooksPath = .hk/deep' })
    symlinkSync('not/there', join(place.top, 'w/.hk'))
    expect(await kindsOf(place, ['w/not/there/deep/x', 'w/.hk', 'w/not/x'])).toEqual(['gitHooks', 'gitHooks', null])
    const around = { home: join(place.top, 'home') }
    await expect(findSandboxGuards([join(place.top, 'w')], around)).rejects.toThrow('w/.hk is a link')
  })
})

describe('a file of git settings is protected', () => {
  it('with its includes, nested, conditional or circular', async () => {
    using place = laidOut({
      ...repository,
      'w/.git/config': '[include]\n\tpath = ../conf/a',
      'w/conf/a': '[includeIf "gitdir:/x]y/"] path = sub/b',
      'w/conf/sub/b': '[include]\npath = ../a\npath = ../../missing\n[core]\nhooksPath = hk',
    })
    const paths = ['w/conf/a', 'w/conf/sub/b', 'w/missing', 'w/hk/x', 'w/conf/c']
    expect(await kindsOf(place, paths)).toEqual(['gitSettings', 'gitSettings', 'gitSettings', 'gitHooks', null])
  })

  it('for every repository, when it is of the user or the machine', async () => {
    using place = laidOut({
      ...repository,
      'w/sub/.git/HEAD': '',
      'home/.gitconfig': '[include]\npath = {TOP}/w/mine',
      'home/.config/git/config': '[core]\nhooksPath = .githooks',
      'w/system': '[include]\npath = more',
    })
    const env = { GIT_CONFIG_SYSTEM: join(place.top, 'w/system') }
    const paths = ['w/mine', 'w/system', 'w/more', 'w/.githooks/x', 'w/sub/.githooks/x', 'w/other/.githooks/x']
    expect(await kindsOf(place, paths, 'w', { env })).toEqual([
      ...['gitSettings', 'gitSettings', 'gitSettings'],
      ...['gitHooks', 'gitHooks', null],
    ])
  })

  it.each([
    [
      'GIT_CONFIG_COUNT',
      (top: string) => ({
        GIT_CONFIG_COUNT: '3',
        GIT_CONFIG_KEY_0: 'Core.hooksPath',
        GIT_CONFIG_VALUE_0: '.githooks',
        GIT_CONFIG_KEY_1: 'include.path',
        GIT_CONFIG_VALUE_1: `${top}/w/mine`,
        GIT_CONFIG_KEY_2: 'core.fsmonitor',
        GIT_CONFIG_VALUE_2: 'tools/watch --fast',
        GIT_CONFIG_KEY_3: 'core.hooksPath',
        GIT_CONFIG_VALUE_3: 'uncounted',
      }),
    ],
    [
      'GIT_CONFIG_PARAMETERS',
      (top: string) => ({
        GIT_CONFIG_PARAMETERS: `'core.hooksPath'='.githooks' 'include.path=${top}/w/mine' 'core.fsmonitor'='tools/watch'`,
      }),
    ],
  ])('when %s names it, with what its settings include', async (_, envIn) => {
    using place = laidOut({
      ...repository,
      'w/sub/.git/HEAD': '',
      'w/mine': '[core]\nhooksPath = more',
      'w/tools/watch': '',
    })
    const paths = [
      'w/.githooks/x',
      'w/sub/.githooks/x',
      'w/mine',
      'w/more/x',
      'w/tools/watch',
      'w/uncounted',
      'w/tools/x',
    ]
    expect(await kindsOf(place, paths, 'w', { env: envIn(place.top) })).toEqual([
      ...['gitHooks', 'gitHooks', 'gitSettings', 'gitHooks', 'gitCommands'],
      ...[null, null],
    ])
    expect(await kindsOf(place, paths)).toEqual(paths.map(() => null))
  })

  it('in the folder that a file named .git names', async () => {
    using place = laidOut({
      'w/.git': 'gitdir: ./.bare \r\n',
      'w/.bare /config': '',
      'w/.bare /commondir': '../common\n',
    })
    const paths = ['w/.bare /config', 'w/common/hooks/x', 'w/.bare/config']
    expect(await kindsOf(place, paths)).toEqual(['gitSettings', 'gitHooks', null])
  })

  it('in a bare repository, but not in its work folders, unless these hold hooks', async () => {
    using place = laidOut({
      ...{ 'w/HEAD': '', 'w/objects/x': '', 'w/refs/x': '', 'w/tools/x': '' },
      'w/config': '[core]\nbare = true\nhooksPath = tools/hooks',
    })
    const paths = ['w/config', 'w/config.worktree', 'w/hooks/update', 'w/tools/new', 'w/tools/hooks/update']
    expect(await kindsOf(place, paths)).toEqual(['gitSettings', 'gitSettings', 'gitHooks', null, 'gitHooks'])
    const { missing } = await findSandboxGuards([join(place.top, 'w')], { home: '/nowhere' })
    expect(missing).toEqual([join(place.top, 'w/tools/hooks')])
  })

  it.each([
    ['is too large', { 'w/.git/config': `# ${'x'.repeat(2 ** 20)}` }],
    [
      'includes too much',
      { 'w/.git/config': Array.from({ length: 300 }, (_, at) => `[include]\npath = ../inc/${at}`).join('\n') },
    ],
    [
      'names too many hooks',
      {
        'w/.git/config': `[core]\n${Array.from({ length: 20_000 }, (_, at) => `hooksPath=h${at}\nworktree=w${at}\n`).join('')}`,
      },
    ],
    ['names a folder with very many line ends', { 'w/.git/commondir': `${'\n'.repeat(2 ** 19)}x` }],
    ['names a path too long', { 'w/.git/config': `[core]\nhooksPath = ${'a/'.repeat(2 ** 18)}` }],
  ])('and makes everything protected when it %s to be read', async (_, files) => {
    using place = laidOut({ ...repository, ...files })
    expect(await kindsOf(place, ['w/anything', 'elsewhere'])).toEqual(['unknown', null])
    await expect(findSandboxGuards([join(place.top, 'w')], { home: '/nowhere' })).rejects.toThrow('w/')
  })
})

it('a settings file of this program is protected by its real path', async () => {
  using place = laidOut({ 'w/settings.toml': '', 'w/trust/x': '' })
  symlinkSync(join(place.top, 'w/settings.toml'), join(place.top, 'home/config.toml'))
  symlinkSync(join(place.top, 'w/trust'), join(place.top, 'home/trust'))
  const own = () => ['home/config.toml', 'home/trust'].map((path) => join(place.top, path))
  const paths = ['w/settings.toml', 'w/trust/new', 'w/other']
  expect(await kindsOf(place, paths, 'w', { own })).toEqual(['parley', 'parley', null])
  await expect(findSandboxGuards([join(place.top, 'w')], { home: '/nowhere', own })).resolves.toBeTruthy()
  renameSync(join(place.top, 'w/trust'), join(place.top, 'trust'))
  symlinkSync(join(place.top, 'trust'), join(place.top, 'w/trust'))
  expect(await kindsOf(place, ['w/trust'], 'w', { own })).toEqual(['parley'])
  const sandboxed = findSandboxGuards([join(place.top, 'w')], { home: '/nowhere', own })
  await expect(sandboxed).rejects.toThrow('w/trust is a link')
})
