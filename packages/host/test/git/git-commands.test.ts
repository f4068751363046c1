import { existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openPathStandings } from '../../src/paths/path-standing.ts'
import { findSandboxGuards } from '../../src/paths/sandbox-guards.ts'
import { openWorkspace } from '../workspace.ts'

const repository = { 'w/.git/HEAD': 'ref: refs/heads/main\n', 'w/.git/objects/x': '', 'w/.git/refs/x': '' }

function laidOut(files: Readonly<Record<string, string>>) {
  const workspace = openWorkspace()
  const top = realpathSync(workspace.path('.'))
  for (const [name, text] of Object.entries({ 'home/x': '', ...repository, ...files })) {
    mkdirSync(dirname(join(top, name)), { recursive: true })
    writeFileSync(join(top, name), text.replaceAll('{TOP}', top))
  }
  const around = { home: join(top, 'home') }
  return {
    top,
    around,
    guardsOf: async (paths: readonly string[], env: Readonly<Record<string, string>> = {}) => {
      const { guardOf } = await openPathStandings([join(top, 'w')], { ...around, env })
      return paths.map((path) => guardOf(join(top, path)))
    },
    [Symbol.dispose]: () => workspace[Symbol.dispose](),
  }
}

describe('a program that git starts is guarded', () => {
  it.each([
    ['core.sshCommand', '[core]\nsshCommand = tools/run -i key'],
    ['core.pager', '[core]\npager = ./tools/run'],
    ['core.editor', '[core]\neditor = "sh tools/run --wait"'],
    ['core.askPass', '[core]\naskPass = {TOP}/w/tools/run'],
    ['sequence.editor', '[sequence]\neditor = tools/run'],
    ['interactive.diffFilter', '[interactive]\ndiffFilter = tools/run | cat'],
    ['diff.external', '[diff]\nexternal = tools/run'],
    ['diff.x.textconv', '[diff "x"]\ntextconv = tools/run'],
    ['diff.x.command', '[diff "x.y"]\ncommand = \'tools/run\''],
    ['merge.x.driver', '[merge "x"]\ndriver = tools/run %O %A %B'],
    ['filter.x.clean', '[filter "x"]\nclean = ./tools/run %f'],
    ['filter.x.smudge', '[filter "x"]\nsmudge = cat | tools/run'],
    ['an interpreter', '[diff]\nexternal = sh -e ./tools/run'],
    ['filter.x.process', '[filter "x"]\nprocess = env A=1 python3 tools/run'],
    ['an alias', '[alias]\nx = !tools/run'],
    ['an alias with a function', '[alias]\nx = "!f() { git log && ./tools/run \\"$1\\"; }; f"'],
    ['an alias from the top', '[alias]\nx = "!$(git rev-parse --show-toplevel)/tools/run"'],
    ['an alias that hands on a text', '[alias]\nx = "!sh -c \\"cd src; tools/run\\""'],
    ['an alias that runs in a folder', '[alias]\nx = "!cd src; exec tools/run"'],
    ['credential.helper as a command', '[credential "https://x"]\nhelper = !tools/run'],
    ['credential.helper as a path', '[credential]\nhelper = {TOP}/w/tools/run'],
    ['gpg.program', '[gpg]\nprogram = tools/run'],
    ['gpg.x.program', '[gpg "ssh"]\nprogram = tools/run'],
    ['uploadpack.packObjectsHook', '[uploadpack]\npackObjectsHook = tools/run'],
    ['remote.x.uploadpack', '[remote "x"]\nuploadpack = tools/run'],
    ['a remote that is a command', '[remote "x"]\nurl = ext::tools/run %S'],
    ['submodule.x.update', '[submodule "x"]\nupdate = !tools/run'],
    ['mergetool.x.cmd', '[mergetool "x"]\ncmd = tools/run $LOCAL'],
    ['trailer.x.cmd', '[trailer "x"]\ncmd = tools/run'],
    ['hook.x.command', '[hook "x"]\ncommand = tools/run'],
    ['tar.x.command', '[tar "tar.xz"]\ncommand = tools/run -c'],
    ['instaweb.httpd', '[instaweb]\nhttpd = {TOP}/w/tools/run -f'],
    ['web.browser', '[web]\nbrowser = tools/run'],
    ['svn.authorsProg', '[svn]\nauthorsProg = tools/run'],
    ['an address that becomes a command', '[url "ext::tools/run %S"]\ninsteadOf = x:'],
    ['an option with a value of an interpreter', '[diff]\nexternal = python3 -W ignore tools/run'],
    ['an option with a value of a shell', '[diff]\nexternal = bash -o pipefail tools/run'],
    ['an option with a value of a starter', '[diff]\nexternal = env -u FOO tools/run'],
    ['a user', '[diff]\nexternal = sudo -u me -- tools/run'],
    ['a script of another interpreter', '[diff]\nexternal = tclsh tools/run'],
    ['a script after an option', '[diff]\nexternal = awk -f tools/run'],
    ['an archive', '[diff]\nexternal = java -jar tools/run'],
    ['a runner of packages', '[diff]\nexternal = npx tsx tools/run'],
    ['a box of programs', '[diff]\nexternal = busybox sh tools/run'],
    ['a loaded file before a script', '[diff]\nexternal = node -r ./x.js tools/run'],
    ['a script as input', '[diff]\nexternal = sh <tools/run'],
    ['the shell of the user', '[alias]\nx = "!$SHELL tools/run"'],
    ['the folder of the shell', '[alias]\nx = "!`pwd`/tools/run"'],
    ['an escaped letter', '[alias]\nx = !tools/r\\\\un'],
    ['a script at the top of bash', '[diff]\nexternal = bash -e tools/../tools/run'],
    ['a folder in quotes', '[alias]\nx = "!\\"$PWD\\"/tools/run"'],
    ['a word with quotes within', "[diff]\nexternal = 'tools'/run"],
    ['a variable with blanks before it', '[alias]\nx = "!A=\'b c\' 2>x tools/run"'],
    ['a bundle', '[diff]\nexternal = bundle exec tools/run'],
    ['a trap', '[alias]\nx = !trap tools/run EXIT'],
  ])('when %s names it', async (_, config) => {
    using place = laidOut({ 'w/.git/config': config, 'w/tools/run': '#!/bin/sh\n', 'w/src/x': '' })
    expect(await place.guardsOf(['w/tools/run', 'w/tools/other', 'w/src/x'])).toEqual(['gitCommands', null, null])
    const { kept } = await findSandboxGuards([join(place.top, 'w')], place.around)
    expect(kept).toContain(join(place.top, 'w/tools/run'))
  })

  it('when the settings of the user, an included file or a variable name it', async () => {
    using place = laidOut({
      'home/.gitconfig': '[alias]\nx = !./one\n[include]\npath = more',
      'home/more': '[core]\npager = two/x',
      ...{ 'w/one': '', 'w/two/x': '', 'w/three/x': '' },
    })
    const env = { GIT_EDITOR: 'three/x' }
    expect(await place.guardsOf(['w/one', 'w/two/x', 'w/three/x'], env)).toEqual([
      ...['gitCommands', 'gitCommands', 'gitCommands'],
    ])
  })

  it('in each repository below, from its own top', async () => {
    using place = laidOut({
      'w/sub/.git/config': '[diff]\nexternal = tools/run',
      ...{ 'w/sub/tools/run': '', 'w/tools/run': '' },
    })
    expect(await place.guardsOf(['w/sub/tools/run', 'w/tools/run'])).toEqual(['gitCommands', null])
  })

  it('with what a link of its name leads to, which does not keep commands from running', async () => {
    using place = laidOut({ 'w/.git/config': '[alias]\nx = !./run', 'w/tools/real': '' })
    symlinkSync('tools/real', join(place.top, 'w/run'))
    expect(await place.guardsOf(['w/run', 'w/tools/real'])).toEqual(['gitCommands', 'gitCommands'])
    const { kept, links } = await findSandboxGuards([join(place.top, 'w')], place.around)
    expect(kept).toContain(join(place.top, 'w/tools/real'))
    expect(links).toEqual([join(place.top, 'w/run')])
  })

  it('also before it is there, without a name that is reserved', async () => {
    using place = laidOut({ 'w/.git/config': '[alias]\nx = !./tools/run' })
    expect(await place.guardsOf(['w/tools/run', 'w/tools/other'])).toEqual(['gitCommands', null])
    const { missing, absent } = await findSandboxGuards([join(place.top, 'w')], place.around)
    expect(missing.filter((path) => path.endsWith('tools'))).toEqual([])
    expect(absent).toContain(join(place.top, 'w/tools/run'))
    expect(existsSync(join(place.top, 'w/tools'))).toBe(false)
  })
})

it('a template of repositories is guarded as a whole', async () => {
  using place = laidOut({ 'home/.gitconfig': '[init]\ntemplateDir = {TOP}/w/template', 'w/template/hooks/x': '' })
  expect(await place.guardsOf(['w/template/hooks/update', 'w/template/config', 'w/x'])).toEqual([
    ...['gitHooks', 'gitHooks', null],
  ])
})

describe('what git does not start stays free', () => {
  it.each([
    ['arguments of an alias', '[alias]\nx = !wc -l src/main.ts'],
    ['revisions', '[alias]\nx = !git log origin/main..HEAD -- src/main.ts'],
    ['a program that another starts', '[core]\neditor = env A=1 vim\n[alias]\nx = !exec vim\ny = !sudo -E vim'],
    ['a module and code', '[alias]\nx = !python3 -m vim\ny = !sh -c vim\nz = !node -p vim'],
    ['names of tasks', '[alias]\nx = !make vim\ny = !npm run vim\nz = !yarn -s vim'],
    ['an alias that is no command', '[alias]\nx = log src/main.ts'],
    ['a helper of git', '[credential]\nhelper = src/main.ts'],
    ['an address', '[remote "x"]\nurl = src/main.ts'],
    ['a program of the search path', '[core]\neditor = vim'],
    ['a setting of another kind', '[core]\nexcludesFile = src/main.ts'],
  ])('%s', async (_, config) => {
    using place = laidOut({ 'w/.git/config': config, 'w/src/main.ts': '' })
    expect(await place.guardsOf(['w/src/main.ts', 'w/vim', 'w/origin/main..HEAD'])).toEqual([null, null, null])
    const { absent } = await findSandboxGuards([join(place.top, 'w')], place.around)
    expect(absent.filter((path) => /\/(?:src\/main\.ts|vim|origin\/.*)$/.test(path))).toEqual([])
  })
})
