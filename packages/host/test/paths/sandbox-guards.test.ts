import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { reserveName } from '../../src/paths/reserved-names.ts'
import { findSandboxGuards } from '../../src/paths/sandbox-guards.ts'
import { variantsOf } from '../../src/system/real-path.ts'
import { openWorkspace, type Workspace } from '../workspace.ts'

function write(workspace: Workspace, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(workspace.path(name)), { recursive: true })
    writeFileSync(workspace.path(name), text)
  }
}

const repository = (at: string) => ({
  [`${at}/HEAD`]: 'ref: refs/heads/main',
  [`${at}/objects/x`]: '',
  [`${at}/refs/x`]: '',
})
const usual = ['.parley', '.vscode', '.idea', '.husky', '.envrc', '.mcp.json']

/** Returns the paths relative to the folder of the test, without the missing `usual` names of the workspace. */
async function placesIn(workspace: Workspace, roots: readonly string[] = ['w'], home = 'home') {
  const top = realpathSync(workspace.path('.'))
  const places = await findSandboxGuards(
    roots.map((root) => `${top}/${root}`),
    { home: `${top}/${home}` },
  )
  const short = (paths: readonly string[]) => paths.map((path) => path.slice(top.length + 1)).sort()
  const isUsual = (path: string) => roots.some((root) => usual.some((name) => path === `${root}/${name}`))
  const { kept, missing, writable } = places
  return { kept: short(kept), missing: short(missing).filter((path) => !isUsual(path)), writable: short(writable) }
}

describe('the protected paths of a workspace', () => {
  it('include its repository and the files that start programs, existing or not', async () => {
    using workspace = openWorkspace()
    write(workspace, { 'w/.git/config': '', 'w/.git/hooks/x': '', 'w/.envrc': '', 'w/.vscode/tasks.json': '' })
    const top = realpathSync(workspace.path('w'))
    const { kept, missing } = await findSandboxGuards([top], { home: '/nowhere' })
    expect(kept).toEqual(expect.arrayContaining([`${top}/.git`, `${top}/.envrc`, `${top}/.vscode`]))
    expect([...missing].sort()).toEqual(['.husky', '.idea', '.mcp.json', '.parley'].map((name) => `${top}/${name}`))
  })

  it('include a repository that does not exist yet', async () => {
    using workspace = openWorkspace()
    write(workspace, { 'w/file': '' })
    expect(await placesIn(workspace)).toEqual({ kept: [], missing: ['w/.git'], writable: [] })
  })

  it('include the state of a worktree within a writable folder', async () => {
    using workspace = openWorkspace()
    write(workspace, {
      ...repository('w/main/.git'),
      'w/main/.git/worktrees/a/commondir': '../..',
      'w/a/.git': `gitdir: ${workspace.path('w/main/.git/worktrees/a')}\n`,
      'w/.git': 'gitdir: ../elsewhere/.git/worktrees/w\n',
      'elsewhere/.git/worktrees/w/commondir': '../..\n',
    })
    const { kept, missing } = await placesIn(workspace)
    expect(kept).toEqual(expect.arrayContaining(['w/.git', 'w/a/.git', 'w/main/.git', 'w/main/.git/worktrees/a']))
    expect(missing).toEqual([])
    expect((await placesIn(workspace, ['w', 'elsewhere'])).kept).toContain('elsewhere/.git')
  })

  it('include a folder that git takes for a repository by its `commondir`', async () => {
    using workspace = openWorkspace()
    const admin = { HEAD: 'ref: refs/heads/a', commondir: '../../..', gitdir: workspace.path('w/a/.git') }
    const files = Object.entries(admin).map(([name, text]) => [`w/admin/${name}`, text])
    write(workspace, { 'w/x': '', ...Object.fromEntries(files) })
    expect((await placesIn(workspace)).kept).toContain('w/admin')
    expect((await placesIn(workspace, ['w/admin'])).kept).toContain('w/admin/commondir')
  })

  it('include names that another command has reserved', async () => {
    using workspace = openWorkspace()
    write(workspace, { 'w/.git': 'gitdir: evil/deep\n' })
    const held = ['w/.parley', 'w/evil'].map((name) => reserveName(workspace.path(name)))
    const top = realpathSync(workspace.path('w'))
    const { kept, missing } = await findSandboxGuards([top], { home: '/nowhere' })
    expect(kept).toEqual([`${top}/.git`])
    expect(missing).toEqual(expect.arrayContaining([`${top}/.parley`, `${top}/evil`]))
    for (const name of held) name?.release()
  })

  it('include the missing target of a .git file', async () => {
    using workspace = openWorkspace()
    write(workspace, { 'w/.git': 'gitdir: evil/deep\n' })
    expect(await placesIn(workspace)).toEqual({ kept: ['w/.git'], missing: ['w/evil'], writable: [] })
  })

  it('include nested repositories, bare ones too, but not those of packages', async () => {
    using workspace = openWorkspace()
    write(workspace, {
      ...repository('w/.git'),
      ...repository('w/vendor/sub/.git'),
      ...repository('w/fixtures/bare'),
      ...repository('w/node_modules/x/.git'),
      'w/mod/.git': 'gitdir: ../.git/modules/mod',
      'w/.git/modules/mod/config': '',
    })
    const { kept } = await placesIn(workspace)
    expect(kept).toEqual(expect.arrayContaining(['w/vendor/sub/.git', 'w/fixtures/bare', 'w/mod/.git']))
    expect(kept.filter((path) => path.includes('node_modules'))).toEqual([])
  })

  it('include a repository after it was renamed', async () => {
    using workspace = openWorkspace()
    write(workspace, { ...repository('w/.git'), ...repository('w/a/.git') })
    expect((await placesIn(workspace)).kept).toContain('w/a/.git')
    renameSync(workspace.path('w/a'), workspace.path('w/b'))
    mkdirSync(workspace.path('w/a/.git'), { recursive: true })
    expect((await placesIn(workspace)).kept).toContain('w/b/.git')
  })

  it('still include a found repository when there are too many folders to search', { timeout: 60_000 }, async () => {
    using workspace = openWorkspace()
    write(workspace, { ...repository('w/.git'), ...repository('w/a/.git'), ...repository('w/z/z/z/.git') })
    expect((await placesIn(workspace)).kept).toContain('w/z/z/z/.git')
    for (let index = 0; index < 3100; index += 1) mkdirSync(workspace.path(`w/${index}`))
    rmSync(workspace.path('w/a'), { recursive: true })
    expect((await placesIn(workspace)).kept).toContain('w/z/z/z/.git')
  })

  it('include settings files and hooks elsewhere that the settings name', async () => {
    using workspace = openWorkspace()
    write(workspace, {
      ...repository('w/.git'),
      'w/.git/config': '[core]\n\thooksPath = tools/hooks\n[include]\n\tpath = ../shared.config\n\tpath = "../.more"',
      'w/shared.config': '',
    })
    const { kept, missing } = await placesIn(workspace)
    expect(kept).toContain('w/shared.config')
    expect(missing).toEqual(['w/.more', 'w/tools'])
  })

  it('include the files that links in a folder of hooks or of an editor lead to, there or not, but no folders', async () => {
    using workspace = openWorkspace()
    write(workspace, { ...repository('w/.git'), 'w/.git/hooks/x': '', 'w/.vscode/x': '', 'w/scripts/hook.sh': '' })
    symlinkSync('../../scripts/hook.sh', workspace.path('w/.git/hooks/pre-commit'))
    symlinkSync('../../scripts/later.sh', workspace.path('w/.git/hooks/pre-push'))
    symlinkSync('../scripts', workspace.path('w/.vscode/scripts'))
    const { kept, missing } = await placesIn(workspace)
    expect(kept).toContain('w/scripts/hook.sh')
    expect(kept).not.toContain('w/scripts')
    expect(missing).toContain('w/scripts/later.sh')
  })

  it('never include the workspace itself, whatever the settings of a repository name', async () => {
    using workspace = openWorkspace()
    write(workspace, { ...repository('w/.git'), 'w/.git/config': '[core]\nhooksPath = .\n[include]\npath = ../..' })
    const { kept, missing } = await placesIn(workspace)
    expect([...kept, ...missing]).not.toContain('w')
  })

  it('include a whole bare repository, with its worktrees left writable', async () => {
    using workspace = openWorkspace()
    write(workspace, {
      ...repository('w'),
      'w/hooks/x': '',
      'w/tree/.git': 'gitdir: ../worktrees/tree',
      'w/tree/file': '',
    })
    const { kept, missing, writable } = await placesIn(workspace)
    expect(kept).toEqual(expect.arrayContaining(['w', 'w/tree/.git']))
    expect({ missing, writable }).toEqual({ missing: [], writable: ['w/tree'] })
  })

  it('include what is read when programs start, when the home is in the workspace', async () => {
    using workspace = openWorkspace()
    write(workspace, { 'home/.bashrc': '', 'home/.config/x': '', 'home/.git/config': '' })
    const { kept, missing } = await placesIn(workspace, ['home'])
    expect(kept).toEqual(expect.arrayContaining(['home/.bashrc', 'home/.config']))
    expect(missing).toEqual(expect.arrayContaining(['home/.ssh', 'home/.profile', 'home/.local', 'home/.zshenv']))
  })

  it('cannot include a link named .git, which could be replaced; other links count by their target', async () => {
    using workspace = openWorkspace()
    write(workspace, { 'w/settings/x': '', 'real/.git/config': '' })
    symlinkSync('settings', workspace.path('w/.vscode'))
    expect((await placesIn(workspace)).kept).toEqual(['w/settings'])
    symlinkSync('../real/.git', workspace.path('w/.git'))
    await expect(placesIn(workspace)).rejects.toThrow('w/.git is a link')
  })

  it('have all spellings on a file system that ignores case', () => {
    expect(variantsOf('.git')).toEqual(['.git', '.giT', '.gIt', '.gIT', '.Git', '.GiT', '.GIt', '.GIT'])
  })
})
