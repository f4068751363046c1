import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openPathStandings } from '../../src/paths/path-standing.ts'
import { prepareBubblewrap } from '../../src/sandbox/bubblewrap/prepare-bubblewrap.ts'
import { hasBubblewrap, machine, whyNot } from '../sandbox/bubblewrap/bubblewrap-here.ts'
import { openPlayground, type Playground } from '../sandbox/playground.ts'
import { runLimited } from '../sandbox/run-limited.ts'

const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'init.defaultBranch=main']
const git = `git ${identity.join(' ')}`

interface Attack {
  /** Script in the workspace; `{RUN}` is a command that leaves a mark outside. */
  readonly script: string
  /** Folder in which the user goes on with git; the workspace unless told. */
  readonly at?: string
  readonly before?: Readonly<Record<string, string>>
  /** True where the workspace is no repository. */
  readonly isPlain?: true
}

const bare = 'mkdir -p objects refs; echo "ref: refs/heads/x" > HEAD'
const evil = '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = {RUN}\n'
/** A program in the repository. */
const runScript = `printf '#!/bin/sh\\n{RUN}\\n' > sub/run; chmod +x sub/run`
const setting = (name: string, value: string): Attack => ({
  script: `git init -q sub; git -C sub config '${name}' '${value}'`,
  at: 'sub',
})

const attacks: Readonly<Record<string, Attack>> = {
  'a bare repository at the top of a plain folder': { script: `${bare}; printf '${evil}' > config`, isPlain: true },
  'a bare repository below': { script: `mkdir a; cd a; ${bare}; printf '${evil}' > config`, at: 'a' },
  'a repository with a monitor': setting('core.fsmonitor', '{RUN}'),
  'a repository with a folder of hooks': {
    script: `git init -q sub; git -C sub config core.hooksPath hk; mkdir sub/hk; printf '#!/bin/sh\\n{RUN}\\n' > sub/hk/pre-commit; chmod +x sub/hk/*`,
    at: 'sub',
  },
  'a repository with a hook': {
    script: `git init -q sub; printf '#!/bin/sh\\n{RUN}\\n' > sub/.git/hooks/pre-commit; chmod +x sub/.git/hooks/pre-commit`,
    at: 'sub',
  },
  'a repository whose hooks are a link': {
    script: `git init -q sub; rm -r sub/.git/hooks; mkdir tools; ln -s ../../tools sub/.git/hooks; printf '#!/bin/sh\\n{RUN}\\n' > tools/pre-commit; chmod +x tools/pre-commit`,
    at: 'sub',
  },
  'a repository with a filter': {
    script: `git init -q sub; git -C sub config filter.x.clean '{RUN}; cat'; echo '* filter=x' > sub/.gitattributes`,
    at: 'sub',
  },
  'a repository with an alias': setting('alias.st', '!{RUN}'),
  'a repository with a program for signatures': {
    script: `git init -q sub; printf '#!/bin/sh\\n{RUN}\\n' > sub/sign; chmod +x sub/sign; git -C sub config gpg.program "$PWD/sub/sign"; git -C sub config commit.gpgSign true`,
    at: 'sub',
  },
  'a repository that includes settings': {
    script: `git init -q sub; git -C sub config include.path ../x; printf '${evil}' > sub/x`,
    at: 'sub',
  },
  'a repository with a remote that is a command': {
    script: `git init -q sub; git -C sub config protocol.ext.allow always; ${runScript}; git -C sub config remote.origin.url "ext::$PWD/sub/run"`,
    at: 'sub',
  },
  'a repository with a program for its remote': {
    script: `git init -q sub; git init -q other; git -C sub config remote.origin.url "$PWD/other"; git -C sub config remote.origin.uploadpack '{RUN};:'`,
    at: 'sub',
  },
  'a repository with a program for ssh': {
    script: `git init -q sub; git -C sub config core.sshCommand '{RUN};:'; git -C sub config remote.origin.url ssh://host/x`,
    at: 'sub',
  },
  'a repository with a helper for credentials': setting('credential.helper', '!{RUN}'),
  'a repository whose remote is rewritten': {
    script: `git init -q sub; git -C sub config protocol.ext.allow always; ${runScript}; git -C sub config "url.ext::$PWD/sub/run .insteadOf" x:; git -C sub config remote.origin.url x:y`,
    at: 'sub',
  },
  'a repository with an update of submodules': {
    script: `git init -q other; ${git} -C other commit -q --allow-empty -m x; git init -q sub; ${git} -c protocol.file.allow=always -C sub submodule --quiet add "$PWD/other" mod; ${git} -C sub/mod commit -q --allow-empty -m y; git -C sub config submodule.mod.update '!{RUN};:'`,
    at: 'sub',
  },
  'settings on the line of their section': {
    script: `git init -q sub; printf '[core] fsmonitor = {RUN}\\n' >> sub/.git/config`,
    at: 'sub',
  },
  'settings over two lines': {
    script: `git init -q sub; printf '[core]\\n\\tfsmonitor = \\\\\\n{RUN}\\n' >> sub/.git/config`,
    at: 'sub',
  },
  'settings of one work tree': {
    script: `git init -q sub; git -C sub config extensions.worktreeConfig true; git -C sub config --worktree core.fsmonitor '{RUN}'`,
    at: 'sub',
  },
  'settings that are a link': {
    script: `git init -q sub; printf '${evil}' > x; rm sub/.git/config; ln -s ../../x sub/.git/config`,
    at: 'sub',
  },
  'a pointer to a repository': {
    script: `git init -q --bare store; git -C store config core.bare false; git -C store config core.fsmonitor '{RUN}'; mkdir sub; echo "gitdir: ../store" > sub/.git`,
    at: 'sub',
  },
  'a link to a repository': {
    script: `git init -q other; git -C other config core.fsmonitor '{RUN}'; mkdir sub; ln -s ../other/.git sub/.git`,
    at: 'sub',
  },
  'a pointer to the repository around, whose hooks lie in each work tree': {
    before: { '.git/config': '[core]\n\thooksPath = .hk\n' },
    script: `mkdir -p sub/.hk; printf '#!/bin/sh\\n{RUN}\\n' > sub/.hk/pre-commit; chmod +x sub/.hk/pre-commit; echo "gitdir: ../.git" > sub/.git`,
    at: 'sub',
  },
  'a common folder': {
    script: `git init -q store; git -C store config core.fsmonitor '{RUN}'; git init -q sub; cd sub/.git; rm -r config objects refs; echo "$OLDPWD/store/.git" > commondir`,
    at: 'sub',
  },
  'the last part of one whose settings were there': {
    before: { 'a/config': evil, 'a/objects/x': '', 'a/refs/x': '' },
    script: 'echo "ref: refs/heads/x" > a/HEAD',
    at: 'a',
  },
  'a repository in a folder that rules ignore': {
    script: `git init -q sub; echo '*' > sub/.gitignore; git -C sub config core.fsmonitor '{RUN}'`,
    at: 'sub',
  },
  'a repository deep below': {
    script: `git init -q a/b/c/d/e/f/g/h; git -C a/b/c/d/e/f/g/h config core.fsmonitor '{RUN}'`,
    at: 'a/b/c/d/e/f/g/h',
  },
  'a repository in a submodule of a new one': {
    script: `git init -q other; ${git} -C other commit -q --allow-empty -m x; git init -q sub; ${git} -c protocol.file.allow=always -C sub submodule --quiet add "$PWD/other" mod; git -C sub/mod config core.fsmonitor '{RUN}'`,
    at: 'sub/mod',
  },
  'a repository in a folder whose time was set back': {
    before: { 'a/x': '' },
    script: `touch -r a now; mkdir b; git init -q b/r; git -C b/r config core.fsmonitor '{RUN}'; mv b/r/.git a/.git; touch -r now a; touch -r now .`,
    at: 'a',
  },
  'a repository in a folder that was deep below': {
    before: { 'a/b/c/d/e/f/g/x': '' },
    script: `cd a/b/c/d/e/f/g; ${bare}; printf '${evil}' > config`,
    at: 'a/b/c/d/e/f/g',
  },
  'a repository in a folder that got its time back': {
    before: { 'sub/x': '' },
    script: `touch -r sub ref; git init -q sub; git -C sub config core.fsmonitor '{RUN}'; touch -r ref sub`,
    at: 'sub',
  },
  'a repository in a folder that cannot be listed': {
    script: `git init -q sub; git -C sub config core.fsmonitor '{RUN}'; chmod 111 sub`,
    at: 'sub',
  },
  'a repository below a folder that cannot be listed': {
    script: `mkdir a; git init -q a/sub; git -C a/sub config core.fsmonitor '{RUN}'; chmod 111 a`,
    at: 'a/sub',
  },
  'a repository in a folder that cannot be written to': {
    script: `git init -q sub; git -C sub config core.fsmonitor '{RUN}'; chmod 555 sub sub/.git`,
    at: 'sub',
  },
  'a repository with hooks that cannot be listed': {
    script: `git init -q sub; printf '#!/bin/sh\\n{RUN}\\n' > sub/.git/hooks/pre-commit; chmod +x sub/.git/hooks/pre-commit; chmod 311 sub/.git/hooks`,
    at: 'sub',
  },
  'a repository that was moved': {
    before: {
      'node_modules/x/HEAD': 'ref: refs/heads/x',
      'node_modules/x/objects/x': '',
      'node_modules/x/refs/x': '',
      'node_modules/x/config': evil,
    },
    script: 'mv node_modules/x y',
    at: 'y',
  },
}

/** Makes the workspace a repository, or a plain folder, and fills in what runs. */
function laidOut({ script, before = {}, isPlain }: Attack) {
  const ground = openPlayground()
  const run = `touch ${ground.path('out/pwned')}`
  rmSync(ground.path('workspace/.git'), { recursive: true })
  if (isPlain !== true) execFileSync('git', [...identity, 'init', '-q', ground.path('workspace')])
  for (const [name, text] of Object.entries(before)) {
    ground.write({ [`workspace/${name}`]: text.replaceAll('{RUN}', run) })
    // A folder that changed just now is looked into anyway.
    utimesSync(ground.path(`workspace/${dirname(name)}`), 0, 0)
  }
  return { ground, script: script.replaceAll('{RUN}', run) }
}

/** What users, prompts and editors do in a folder. */
const usual = [
  ...['status', 'st', 'diff', 'submodule update', 'log -p --show-signature', 'add .', 'commit --allow-empty -m x'],
  ...['fetch', 'credential fill'],
]

function goOn(ground: Playground, at = '.'): boolean {
  for (const words of usual)
    spawnSync('git', [...identity, ...words.split(' ')], {
      cwd: ground.path(`workspace/${at}`),
      env: { PATH: process.env['PATH'], HOME: ground.path('home'), GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' },
      input: 'protocol=https\nhost=example.org\n\n',
      timeout: 10_000,
    })
  // What a script has closed is removed with the rest.
  spawnSync('chmod', ['-R', 'u+rwx', ground.path('workspace')])
  return existsSync(ground.path('out/pwned'))
}

const env = { GIT_CONFIG_NOSYSTEM: '1', HOME: '/tmp', PATH: '/usr/bin:/bin' }

/** Runs a script in the sandbox; returns what is said after it. */
async function runIn(ground: Playground, script: string) {
  const sandbox = await prepareBubblewrap(ground.limits({ masked: [] }), machine(ground.path('home')))
  const { lines, exitCode } = await runLimited(sandbox, `set -e\n${script}`, { cwd: ground.path('workspace'), env })
  const found = sandbox.release?.() ?? []
  expect(exitCode, lines.join('\n')).toBe(0)
  return found
}

describe.skipIf(!hasBubblewrap)(`a command in the sandbox${whyNot} that makes`, { timeout: 60_000 }, () => {
  it.each(Object.entries(attacks))('%s starts nothing with it', async (_, attack) => {
    const { ground, script } = laidOut(attack)
    using _ground = ground
    const found = await runIn(ground, script)
    expect(goOn(ground, attack.at)).toBe(false)
    expect(found.length).toBeGreaterThan(0)
    for (const { text, moved } of found) {
      expect(text).toContain('git takes')
      expect([existsSync(moved?.path ?? ''), existsSync(moved?.aside ?? '')]).toEqual([false, true])
    }
  })

  it.each(Object.entries(attacks))('%s would start something without the look after it', (_, attack) => {
    const { ground, script } = laidOut(attack)
    using _ground = ground
    spawnSync('sh', ['-c', `set -e\n${script}`], {
      cwd: ground.path('workspace'),
      env: { ...env, HOME: ground.path('home') },
    })
    expect(goOn(ground, attack.at)).toBe(true)
  })
})

const remote = (url: string) => `git init -q sub; git -C sub remote add origin '${url}'`
const harmless: Readonly<Record<string, string>> = {
  'git init': 'git init -q sub',
  'git init --bare': 'git init -q --bare sub',
  'a first commit by a user': `git init -q sub; cd sub; git config user.name t; git config user.email t@example.org; git commit -q --allow-empty -m x; git checkout -q -b b; git branch -q -u main || true`,
  'a clone of it': `git init -q one; ${git} -C one commit -q --allow-empty -m x; git clone -q one two; git clone -q --bare one three; git -C two branch -q --track b origin/main || true`,
  'a work tree of a new repository': `git init -q one; ${git} -C one commit -q --allow-empty -m x; git -C one worktree add -q ../two`,
  'a submodule of a new repository': `git init -q one; ${git} -C one commit -q --allow-empty -m x; git init -q two; ${git} -c protocol.file.allow=always -C two submodule --quiet add "$PWD/one" mod`,
  'a separate folder of the repository': 'git init -q --separate-git-dir=store sub',
  'a remote by a path': remote('/srv/a/b.git'),
  'a remote by https': remote('https://example.org/a/b.git'),
  'a remote by ssh': remote('git@example.org:a/b.git'),
  'a remote by ssh with a port': remote('ssh://git@example.org:2222/a/b.git'),
  'settings without a program': `git init -q sub; cd sub; git config commit.gpgsign false; git config core.autocrlf input; git config pull.rebase true; git config advice.detachedHead false; git config user.name 'A "quoted" name # here'; git config core.fsmonitor false`,
  'hooks that are samples, or cannot run':
    'git init -q sub; echo x > sub/.git/hooks/pre-commit; cp sub/.git/hooks/pre-commit sub/.git/hooks/a.sample; chmod +x sub/.git/hooks/a.sample',
  'sparse checkout': `git init -q one; ${git} -C one commit -q --allow-empty -m x; git -C one sparse-checkout set a`,
  'files of the same names that are no repository':
    'mkdir -p config refs objects hooks; echo x > config/x; printf "#!/bin/sh\\n" > hooks/pre-commit; chmod +x hooks/pre-commit',
}

describe.skipIf(!hasBubblewrap)(`a command in the sandbox${whyNot}`, { timeout: 60_000 }, () => {
  it.each(Object.entries(harmless))('goes on with %s, and nothing is said or moved', async (_, script) => {
    using ground = openPlayground()
    expect(await runIn(ground, script)).toEqual([])
    const names = readdirSync(ground.path('workspace'), { recursive: true }).filter((name) =>
      String(name).includes('aside'),
    )
    expect(names).toEqual([])
  })

  it('has what it made moved aside at its end though another command has begun and ended since', async () => {
    using ground = openPlayground()
    const machineHere = machine(ground.path('home'))
    const first = await prepareBubblewrap(ground.limits({ masked: [] }), machineHere)
    const script = 'git init -q sub; git -C sub config core.fsmonitor evil'
    await runLimited(first, script, { cwd: ground.path('workspace'), env })
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await runIn(ground, 'echo x > other')).toEqual([])
    expect(first.release?.()).toMatchObject([{ moved: { path: ground.path('workspace/sub/.git/config') } }])
  })

  it('keeps hooks of the template that the user has for repositories, and no others of their names', async () => {
    using ground = openPlayground('/var/tmp')
    ground.write({ 'home/template/hooks/pre-commit': '#!/bin/sh\n' })
    chmodSync(ground.path('home/template/hooks/pre-commit'), 0o755)
    ground.write({ 'home/.gitconfig': `[init]\n\ttemplateDir = ${ground.path('home/template')}\n` })
    const asUser = `export HOME=${ground.path('home')}; git init -q`
    expect(await runIn(ground, `${asUser} one; test -x one/.git/hooks/pre-commit`)).toEqual([])
    const [found] = await runIn(ground, `${asUser} two; echo evil >> two/.git/hooks/pre-commit`)
    expect(found?.moved?.path).toBe(ground.path('workspace/two/.git/hooks/pre-commit'))
  })

  it('leaves a repository alone that was there before, whatever its settings', async () => {
    using ground = openPlayground()
    execFileSync('git', [...identity, 'init', '-q', ground.path('workspace/sub')])
    execFileSync('git', ['-C', ground.path('workspace/sub'), 'config', 'core.fsmonitor', 'tools/monitor'])
    expect(await runIn(ground, 'echo x > sub/file; mkdir sub/new')).toEqual([])
    expect(readFileSync(ground.path('workspace/sub/.git/config'), 'utf8')).toContain('tools/monitor')
  })

  it('makes many repositories that start something, and each is moved aside but not each is said', async () => {
    using ground = openPlayground()
    const many = `for n in $(seq 60); do mkdir -p $n/objects $n/refs; echo "ref: refs/heads/x" > $n/HEAD; printf '[core]\\n\\tfsmonitor = evil\\n' > $n/config; done`
    const found = await runIn(ground, many)
    expect(found).toHaveLength(21)
    expect(found.at(-1)?.text).toMatch(/^The same holds of 40 more; 40 of them were moved aside/)
    const left = readdirSync(ground.path('workspace'), { recursive: true }).filter((name) =>
      /(^|\/)config$/.test(String(name)),
    )
    expect(left.filter((name) => !String(name).startsWith('.git/'))).toEqual([])
  })

  it('gives a folder that it has closed its mode back, and says which names it could not read', async () => {
    using ground = openPlayground()
    const closed = `git init -q sub; git -C sub config core.fsmonitor evil; chmod 311 sub; mkdir "$(printf 'a\\377')"`
    const found = await runIn(ground, closed)
    expect(statSync(ground.path('workspace/sub')).mode & 0o777).toBe(0o311)
    expect(found.map(({ moved }) => moved?.path)).toEqual([ground.path('workspace/sub/.git/config'), undefined])
    expect(found[1]?.text).toMatch(/names that are no UTF-8/)
    goOn(ground)
  })

  it('has the settings moved aside whole, beside the harmless files', async () => {
    using ground = openPlayground()
    const [found, ...more] = await runIn(
      ground,
      'git init -q sub; git -C sub config core.fsmonitor evil; echo x > sub/file',
    )
    expect(more).toEqual([])
    expect(found?.moved?.path).toBe(ground.path('workspace/sub/.git/config'))
    expect(readFileSync(found?.moved?.aside ?? '', 'utf8')).toContain('fsmonitor = evil')
    expect(found?.text).toContain('core.fsmonitor')
    expect(readFileSync(ground.path('workspace/sub/file'), 'utf8')).toBe('x\n')
  })
})

describe('a patch', () => {
  /** Returns why each of these paths asks when all are written in one patch. */
  async function askedTogether(ground: Playground, names: readonly string[]) {
    const paths = names.map((name) => ground.path(`workspace/${name}`))
    const { guardOf } = await openPathStandings([ground.path('workspace')], { home: ground.path('home') }, paths)
    return paths.map(guardOf)
  }

  it.each([
    [
      'whole, at the top',
      {},
      ['HEAD', 'config', 'objects/k', 'refs/k', 'src/a'],
      ['HEAD', 'config', 'objects/k', 'refs/k'],
    ],
    [
      'whole, below',
      {},
      ['a/HEAD', 'a/config', 'a/objects/k', 'a/refs/k', 'a/b'],
      ['a/HEAD', 'a/config', 'a/objects/k', 'a/refs/k'],
    ],
    ['by its last part', { 'a/HEAD': '', 'a/objects/x': '' }, ['a/refs/heads/x', 'a/x'], ['a/refs/heads/x']],
    [
      'by a common folder',
      { 'a/HEAD': '' },
      ['a/commondir', 'a/hooks/pre-commit'],
      ['a/commondir', 'a/hooks/pre-commit'],
    ],
    [
      'in another case',
      {},
      ['a/head', 'a/Config', 'a/OBJECTS/k', 'a/refs/k'],
      ['a/head', 'a/Config', 'a/OBJECTS/k', 'a/refs/k'],
    ],
  ])('that makes a folder a repository asks (%s)', async (_, before, names, asked) => {
    using ground = openPlayground()
    for (const [name, text] of Object.entries(before)) ground.write({ [`workspace/${name}`]: text })
    expect(await askedTogether(ground, names)).toEqual(
      names.map((name) => (asked.includes(name) ? 'repository' : null)),
    )
  })

  it.each([
    [['config', 'HEAD', 'src/config/index.ts']],
    [['objects/a.ts', 'refs/b.ts', 'hooks/use-x.ts', 'config/app.ts', 'info/x']],
    [['a/HEAD', 'b/objects/x', 'c/refs/x']],
  ])('of %j asks nothing', async (names) => {
    using ground = openPlayground()
    expect(await askedTogether(ground, names)).toEqual(names.map(() => null))
  })
})
