import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { nodeFiles } from '@parley/journal'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createProjects, type Project } from '../../src/trust/project.ts'
import { filesRunInPlace } from '../../src/trust/project-programs.ts'
import { repositoryAroundHome } from '../../src/trust/project-root.ts'
import { trustNotice } from '../../src/trust/trust-report.ts'
import { createTrustStore } from '../../src/trust/trust-store.ts'

let root = ''
let home = ''
let repo = ''
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'parley-trust-')))
  home = join(root, 'home', '.parley')
  repo = join(root, 'repo')
  mkdirSync(home, { recursive: true, mode: 0o700 })
  write('.git/HEAD', 'ref: refs/heads/main\n')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, text: string | Buffer): string {
  const file = join(repo, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

const projects = (path = process.env['PATH'] ?? '') => createProjects({ home, env: { PATH: path }, files: nodeFiles })
const look = (cwd = repo, path?: string) => projects(path).of(cwd)

function found(cwd?: string, path?: string): Project {
  const project = look(cwd, path)
  if (project === null) throw new Error('there is no project')
  return project
}

function decide(verdict: 'trusted' | 'declined', project = found()): void {
  const { files } = project
  createTrustStore(home, nodeFiles).write({
    root: project.root,
    hash: project.hash() ?? '',
    verdict,
    decidedAt: '2026-01-01T00:00:00.000Z',
    outsideSandbox: false,
    files: [...files],
    programs: [...project.programs().files],
  })
}

const server = (command: string, more = '') => `[mcp_servers.tools]\ncommand = ${JSON.stringify(command)}\n${more}\n`

describe('a project', () => {
  it('is the repository that holds the folder, else the folder', () => {
    write('.parley/config.toml', 'model = "m"\n')
    mkdirSync(join(repo, 'a', 'b'), { recursive: true })
    expect(found(join(repo, 'a', 'b')).root).toBe(repo)
    rmSync(join(repo, '.git'), { recursive: true })
    expect(look(join(repo, 'a', 'b'))).toBeNull()
    expect(found().root).toBe(repo)
  })

  it('of a worktree is the worktree, of a link the folder it leads to', () => {
    const tree = join(root, 'tree')
    mkdirSync(join(tree, '.parley'), { recursive: true })
    writeFileSync(join(tree, '.git'), `gitdir: ${repo}/.git/worktrees/tree\n`)
    writeFileSync(join(tree, '.parley', 'config.toml'), 'model = "m"\n')
    symlinkSync(tree, join(root, 'link'))
    expect(found(join(root, 'link')).root).toBe(tree)
  })

  it('has no notice without files of its own, and does not exist where its folder is PARLEY_HOME', () => {
    expect(look()).toBeNull()
    writeFileSync(join(home, 'config.toml'), 'model = "m"\n')
    expect(look(dirname(home))).toBeNull()
  })

  it('needs no trust for hooks, environment files or other files', () => {
    write('.parley/hooks.json', '{"session_start":[{"command":"touch pwned"}]}')
    write('.env', 'PARLEY_HOME=./.parley\n')
    write('.mcp.json', '{}')
    expect(look()).toBeNull()
  })
})

describe('the configuration of a project', () => {
  it.each([
    ['a link', (file: string) => symlinkSync('/etc/passwd', file), 'it is a link'],
    ['a pipe', (file: string) => execFileSync('mkfifo', [file]), 'it is no file'],
    ['a folder', (file: string) => mkdirSync(file), 'it is no file'],
    ['a large file', (file: string) => writeFileSync(file, '#'.repeat(70_000)), 'it has more than 64 KiB'],
    ['a file that is not text', (file: string) => writeFileSync(file, Buffer.from([0xff, 0xfe])), 'it is not UTF-8'],
  ])('is not read from %s, at once and with a reason', (_, make, reason) => {
    const file = write('.parley/config.toml', '')
    rmSync(file)
    make(file)
    const project = found()
    expect(project).toMatchObject({ files: [], problems: [`.parley/config.toml is not read: ${reason}.`] })
    expect(trustNotice(project)).toContain(reason)
  })

  it('is not read when the folder itself is a link', () => {
    mkdirSync(join(root, 'elsewhere'))
    writeFileSync(join(root, 'elsewhere', 'config.toml'), 'model = "m"\n')
    symlinkSync(join(root, 'elsewhere'), join(repo, '.parley'))
    expect(found()).toMatchObject({ files: [], problems: [expect.stringContaining('links are not followed')] })
  })
})

describe('trust', () => {
  it('is bound to one content, and another one is shown as a change', () => {
    write('.parley/config.toml', 'model = "m"\n')
    expect(found().state).toBe('untrusted')
    decide('trusted')
    expect(found().state).toBe('trusted')
    write('.parley/policy.toml', '')
    expect(found()).toMatchObject({ state: 'changed', entry: { files: [{ text: 'model = "m"\n' }] } })
    rmSync(join(repo, '.parley/policy.toml'))
    expect(found().state).toBe('trusted')
    write('.parley/config.toml', 'model = "m" \n')
    expect(found().state).toBe('changed')
  })

  it('reports removed rules until the removal is accepted', () => {
    const rules = write('.parley/policy.toml', '[[rule]]\ndecision = "deny"\ncommand = ["rm"]\n')
    decide('trusted')
    rmSync(rules)
    expect(found().state).toBe('changed')
    expect(trustNotice(found())).toContain('are gone from it, so what they forbade is no longer forbidden')
    decide('trusted')
    expect(look()).toBeNull()
    write('.parley/config.toml', 'model = "m"\n')
    decide('trusted')
    rmSync(join(repo, '.parley'), { recursive: true })
    expect(look()).toBeNull()
  })

  it('that was declined is asked for again only after a change', () => {
    write('.parley/config.toml', 'model = "m"\n')
    expect(trustNotice(found())).toMatch(/brings its own configuration .* Nothing of it takes effect/)
    decide('declined')
    expect(found().state).toBe('declined')
    expect(trustNotice(found())).toBeNull()
    write('.parley/config.toml', 'model = "n"\n')
    expect(trustNotice(found())).toContain('Nothing of it takes effect')
  })

  it('of one folder does not extend to another with the same content', () => {
    write('.parley/config.toml', 'model = "m"\n')
    decide('trusted')
    const copy = join(root, 'copy')
    mkdirSync(join(copy, '.parley'), { recursive: true })
    writeFileSync(join(copy, '.parley', 'config.toml'), 'model = "m"\n')
    expect(found(copy).state).toBe('untrusted')
    expect(found(copy).hash()).not.toBe(found().hash())
  })

  it('is stored in one private file per project, and an unreadable file means no trust', () => {
    write('.parley/config.toml', 'model = "m"\n')
    decide('trusted')
    const folder = join(home, 'trust')
    const [name = '', ...others] = readdirSync(folder)
    expect(others).toEqual([])
    expect([statSync(folder).mode & 0o777, statSync(join(folder, name)).mode & 0o777]).toEqual([0o700, 0o600])
    const text = readFileSync(join(folder, name), 'utf8')
    writeFileSync(join(folder, name), text.slice(1))
    expect(found().state).toBe('untrusted')
    writeFileSync(join(folder, name), text.replaceAll(repo, '/another'))
    expect(found().state).toBe('untrusted')
  })
})

describe('the programs of a project', () => {
  const contentOf = (path: string) =>
    found()
      .programs()
      .files.find((program) => program.path === path)?.content

  it.each([
    ['its program', server('./mcp'), 'mcp'],
    ['a program in its own folder', server('./mcp', 'cwd = "tools"'), 'tools/mcp'],
    ['a script that is an argument', server('node', 'args = ["tools/mcp.js"]'), 'tools/mcp.js'],
    ['a file in an option', server('node', 'args = ["--import=./hook.js"]'), 'hook.js'],
    ['a file that a variable names', server('node', 'env = { NODE_OPTIONS = "--require ./evil.js" }'), 'evil.js'],
  ])('are part of the trusted content: %s', (_, text, path) => {
    write('.parley/config.toml', text)
    expect(contentOf(path)).toBe('absent')
    decide('trusted')
    write(path, 'one')
    expect(found().state).toBe('changed')
    decide('trusted')
    expect(found().state).toBe('trusted')
    write(path, 'two')
    expect(found().state).toBe('changed')
  })

  it.each([
    ['a quoted word', `exec './run.sh'`, 'run.sh'],
    ['a word with quotes within', `exec ./'run'.sh`, 'run.sh'],
    ['its input', 'sh <./run.sh', 'run.sh'],
    ['a part of a pipe', './run.sh|cat', 'run.sh'],
    ['a shell below', '(./run.sh)', 'run.sh'],
    ['its folder', 'exec "$PWD"/run.sh', 'run.sh'],
    ['its folder, asked for', 'exec "$(pwd)/run.sh"', 'run.sh'],
    ['a folder that it enters', 'cd "lib" && ./run.sh', 'lib/run.sh'],
    ['an option with its value attached', 'ruby -r./run.sh', 'run.sh'],
  ])('include what a line for a shell names as %s', (_, line, path) => {
    write(path, 'one')
    write('.parley/config.toml', server('sh', `args = ["-c", ${JSON.stringify(line)}]`))
    decide('trusted')
    expect(found().state).toBe('trusted')
    write(path, 'two')
    expect(found().state).toBe('changed')
  })

  it.each([
    ['"$PARLEY_PROJECT_DIR"/tools/check.sh', 'tools/check.sh', ['tools/check.sh']],
    ['cd "$PARLEY_PROJECT_DIR" && sh setup', 'setup', ['setup']],
    ['sh {REPO}/tools/check.sh', 'tools/check.sh', ['tools/check.sh']],
    ['sh tools/check.sh', 'tools/check.sh', []],
    ["cd tools; sh './check.sh'", 'tools/check.sh', []],
  ])('include what a hook runs (%s)', (line, path, inPlace) => {
    write(path, 'one')
    write('test/index.js', 'one')
    const command = `${line.replace('{REPO}', repo)} && npm test`
    write('.parley/config.toml', `[[hooks.Stop]]\nhooks = [{ command = ${JSON.stringify(command)} }]`)
    decide('trusted')
    const project = found()
    expect(project.hooks.flatMap((hook) => filesRunInPlace(hook, project).map((file) => file.path))).toEqual(inPlace)
    write('test/index.js', 'two')
    expect(found().state).toBe('trusted')
    write(path, 'two')
    expect(found().state).toBe('changed')
  })

  it.each([
    ['node', '["tools"]', 'tools/index.js'],
    ['python3', '["./tools"]', 'tools/__main__.py'],
    ['node', '["."]', 'package.json'],
    ['node', '["tools"]', 'tools/package.json'],
  ])('include what %s starts in a folder that is an argument (%s, %s)', (program, args, path) => {
    write('tools/other.txt', 'x')
    write('.parley/config.toml', server(program, `args = ${args}`))
    decide('trusted')
    write('tools/other.txt', 'y')
    expect(found().state).toBe('trusted')
    write(path, '{}')
    expect(found().state).toBe('changed')
    decide('trusted')
    write(path, '{"main":"x"}')
    expect(found().state).toBe('changed')
  })

  it.each([
    ['node', 'args = ["srv"]', 'srv.js'],
    ['node', 'args = ["srv"]', 'srv.mjs'],
    ['node', 'args = ["srv"]', 'srv.cjs'],
    ['node', 'args = ["srv"]', 'srv/index.js'],
    ['node', 'args = ["--require=./hook", "srv"]', 'hook.js'],
    ['python3', 'args = ["-m", "pk.mod"]', 'pk/mod.py'],
    ['python3', 'args = ["-Im", "pk.mod"]', 'pk/mod/__main__.py'],
    ['python3', 'args = ["-mpk.mod"]', 'pk/__init__.py'],
    ['sh', `args = ["-c", "exec python3 -m 'pk.mod'"]`, 'pk/mod.py'],
    ['python3', 'args = ["-m", "pk.mod"]\nenv = { PYTHONPATH = "src" }', 'src/pk/mod.py'],
  ])('include what %s runs for a name without ending or a module (%s, %s)', (program, args, path) => {
    write('.parley/config.toml', server(program, args))
    decide('trusted')
    write('other.js', 'x')
    expect(found().state).toBe('trusted')
    write(path, 'one')
    expect(found().state).toBe('changed')
    decide('trusted')
    write(path, 'two')
    expect(found().state).toBe('changed')
  })

  it('include the file that the package.json of such a folder names', () => {
    write('tools/package.json', '{"main":"lib/run.js"}')
    write('tools/lib/run.js', 'one')
    write('.parley/config.toml', server('node', 'args = ["tools"]'))
    decide('trusted')
    write('tools/lib/run.js', 'two')
    expect(found().state).toBe('changed')
  })

  it('are compared by the target of their links', () => {
    write('real.js', 'one')
    symlinkSync('../real.js', write('bin/.keep', '').replace('.keep', 'tool'))
    symlinkSync('/usr/bin/env', join(repo, 'bin', 'out'))
    write('.parley/config.toml', server('./bin/tool', 'args = ["bin/out", "bin"]'))
    expect(contentOf('bin/tool')).toMatch(/^sha256:/)
    expect(contentOf('bin/out')).toMatch(/^outside:\/usr\/bin\//)
    expect(contentOf('bin')).toBe('folder')
    decide('trusted')
    write('real.js', 'two')
    expect(found().state).toBe('changed')
  })

  it('that are too many or too large cannot be trusted, and are not read before they are needed', () => {
    const many = Array.from({ length: 201 }, (_, index) => `"f${index}"`).join()
    write('.parley/config.toml', server('node', `args = [${many}]`))
    expect(found().programs()).toEqual({ files: [], problem: 'its tool servers and hooks name more than 200 files' })
    expect(found().hash()).toBeNull()
    write('.parley/config.toml', server('./big'))
    truncateSync(write('big', ''), 129 * 1024 * 1024)
    expect(found().state).toBe('untrusted')
    expect(found().programs().problem).toMatch(/^big cannot be looked at: it has more than/)
    expect(found().hash()).toBeNull()
  })

  it('are found as the system finds them, even in a relative folder of the search path', () => {
    write('.parley/config.toml', server('tool'))
    expect(found(repo, '/usr/bin:bin').programs().files).toEqual([])
    chmodSync(write('bin/tool', '#!/bin/sh\n'), 0o755)
    expect(found(repo, '/usr/bin:bin').programs().files).toEqual([
      { path: 'bin/tool', content: expect.stringMatching(/^sha256:/) },
    ])
    expect(found(repo, '/usr/bin').programs().files).toEqual([])
  })
})

describe('the rules of a project', () => {
  const rule = (decision: string, target: string) => `[[rule]]\ndecision = "${decision}"\n${target}\n`

  it('are all that deny and ask, and those that allow only its own servers', () => {
    write('.parley/config.toml', `${server('node')}[mcp_servers.mine]\ncommand = "x"\n`)
    write(
      '.parley/policy.toml',
      [
        rule('deny', 'tool = "shell"'),
        rule('ask', 'mcp = "*/*"'),
        rule('allow', 'command = ["make", "test"]'),
        rule('allow', 'mcp = "tools/*"'),
        rule('allow', 'tool = "shell"'),
        rule('allow', 'mcp = "*/*"'),
        rule('allow', 'mcp = "too*/read"'),
        rule('allow', 'mcp = "mine/*"'),
      ].join(''),
    )
    const { rules, ignored } = found().rules({ mcp_servers: { mine: { command: 'y' } } })
    expect(rules.map(({ decision, target }) => `${decision} ${target.kind}`)).toEqual([
      'deny tool',
      'ask mcp',
      'allow command',
      'allow mcp',
    ])
    expect(ignored).toEqual([
      '.parley/policy.toml:13: is ignored: only your own policy.toml can allow a whole tool.',
      ...[16, 19, 22].map(
        (line) =>
          `.parley/policy.toml:${line}: is ignored: a project can allow only tools of servers that it configures itself, by their full names.`,
      ),
    ])
  })

  it('give no right beyond the sandbox', () => {
    write('.parley/policy.toml', rule('allow', 'command = ["git", "commit"]\noutside_sandbox = true'))
    const { rules, ignored } = found().rules({})
    expect(rules).toEqual([])
    expect(ignored).toEqual([expect.stringContaining('only in policy.toml of your own home')])
  })

  it('with a mistake still deny, and no longer allow', () => {
    write('.parley/policy.toml', `${rule('deny', 'tool = "shell"')}${rule('allow', 'command = ["make"]\nwhen = 1')}`)
    const { rules, ignored } = found().rules({})
    expect(rules.map(({ decision }) => decision)).toEqual(['deny'])
    expect(ignored).toEqual([expect.stringContaining('Its allow rules do not count.')])
  })
})

describe('PARLEY_HOME inside a repository', () => {
  it('is found, since its files would be the configuration of everyone who works in it', () => {
    const inside = join(repo, 'conf')
    mkdirSync(inside)
    expect(repositoryAroundHome(repo, inside, join(root, 'home'))).toBe(repo)
    expect(repositoryAroundHome(repo, home, join(root, 'home'))).toBeNull()
  })

  it('is ignored when the repository contains the whole home folder', () => {
    mkdirSync(join(root, '.git'))
    writeFileSync(join(root, '.git', 'HEAD'), 'ref: refs/heads/main\n')
    expect(repositoryAroundHome(root, home, join(root, 'home'))).toBeNull()
    expect(repositoryAroundHome(root, home, '/nowhere')).toBe(root)
  })
})
