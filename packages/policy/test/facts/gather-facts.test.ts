import { link, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { findProgram, standingsHere } from '@parley/workspace'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decide } from '../../src/decision/decide.ts'
import { type FileSurroundings, gatherPatchFacts, gatherReadFacts } from '../../src/facts/gather-file-facts.ts'
import { testFolders } from './test-folders.ts'

let folders: Awaited<ReturnType<typeof testFolders>>
beforeAll(async () => {
  folders = await testFolders()
})
afterAll(async () => {
  await folders[Symbol.asyncDispose]()
})

describe('a program', () => {
  const find = (name: string, searchPath: string) =>
    findProgram({ name, searchPath, cwd: folders.workspace, roots: [folders.workspace], files: folders.around.files })

  it('is found by absolute entries only', async () => {
    expect(await find('ls', folders.bin)).toEqual({ path: join(folders.bin, 'ls'), insideRoots: false })
    for (const before of ['.', '', 'src']) {
      expect(await find('ls', `${before}:${folders.bin}`)).toEqual({ path: null, insideRoots: true })
    }
    expect(await find('ls', '/nowhere')).toEqual({ path: null, insideRoots: false })
    expect((await find('ls', `${folders.bin}:.`)).path).toBe(join(folders.bin, 'ls'))
  })

  it('is not allowed by its name when a file of the workspace may shadow it', async () => {
    const rule = { decision: 'allow', target: { kind: 'command', prefix: [['ls']] }, source: { file: 'p' } } as const
    const verdictWith = async (searchPath: string) =>
      decide(await folders.run(['ls', '--unheard-of'], { searchPath }), {
        ...{
          rules: [rule],
          sessionGrants: [],
          approvalPolicy: 'untrusted',
          sandboxMode: 'workspace-write',
          enforcement: 'full',
        },
      }).verdict
    expect(await verdictWith(folders.bin)).toBe('allow')
    expect(await verdictWith(`.:${folders.bin}`)).toBe('ask')
  })

  it('of the workspace is marked as such, even when the search path leads there', async () => {
    expect((await find('./cat', folders.bin)).insideRoots).toBe(true)
    expect((await find('cat', `${folders.workspace}:${folders.bin}`)).insideRoots).toBe(true)
  })
})

describe('a command', () => {
  it('whose programs are files of the workspace is not known-safe', async () => {
    const searchPath = `${folders.workspace}:${folders.bin}`
    expect((await folders.run(['cat', 'b.ts'], { searchPath })).knownSafe).toBe(false)
    const behindShell = await folders.run(['bash', '-lc', 'ls'], { searchPath })
    expect(behindShell).toMatchObject({ understood: false, knownSafe: false })
    expect(behindShell.notUnderstoodBecause).toContain('writable folders')
  })

  it('with a shell given by an unknown path is not understood', async () => {
    expect(await folders.run(['./bash', '-lc', 'ls'])).toMatchObject({ understood: false, script: 'ls' })
  })

  it('in plain argv is one part, whose words no shell reads', async () => {
    expect(await folders.run(['cat', 'b.ts; rm x', '$HOME'])).toMatchObject({
      understood: true,
      knownSafe: true,
      script: null,
    })
    expect((await folders.run(['cd', 'src'])).knownSafe).toBe(false)
  })

  it.each([[[]], [['']], [['bash']], [['bash', '-c', 'ls', 'x']], [['ls', '\u001b[2K']], [['ls', 'a\0b']]])(
    '%j is not known-safe',
    async (argv) => {
      expect((await folders.run(argv)).knownSafe).toBe(false)
    },
  )

  it('that enters a folder outside the roots has no safe part', async () => {
    const { parts } = await folders.run(['bash', '-c', 'cd .. && ls'])
    expect(parts.map(({ knownSafe }) => knownSafe)).toEqual([false, true])
  })

  it('that is known to be safe lists the paths it reads, from each folder it may have entered', async () => {
    const { reads } = await folders.run(['bash', '-c', 'cd src && cat a.ts && grep -r foo . && echo b.ts'])
    const read = (real: string, recursive = false) => expect.objectContaining({ real, recursive })
    const { workspace } = folders
    expect(reads).toContainEqual(read(join(workspace, 'src/a.ts')))
    expect(reads).toContainEqual(read(join(workspace, 'src'), true))
    expect(reads.map(({ real }) => real)).not.toContain(join(workspace, 'b.ts'))
    expect((await folders.run(['npm', 'b.ts'])).reads).toEqual([])
  })

  it('that reads more paths than the limit is not known to be safe', async () => {
    const many = Array.from({ length: 501 }, (_, index) => `${'./'.repeat(index)}b.ts`)
    expect((await folders.run(['cat', ...many.slice(1)])).knownSafe).toBe(true)
    expect((await folders.run(['cat', ...many])).knownSafe).toBe(false)
  })

  it('has roots that may be links', async () => {
    const facts = await folders.run(['bash', '-c', 'cd src && ls'], {
      roots: [folders.workspaceLink],
    })
    expect(facts.knownSafe).toBe(true)
  })
})

describe('the question about a command', () => {
  const asked = {
    rules: [],
    sessionGrants: [],
    sandboxMode: 'workspace-write',
    enforcement: 'full',
    network: false,
  } as const

  it('says that a program lies in the writable folders', async () => {
    const searchPath = `${folders.workspace}:${folders.bin}`
    const facts = await folders.run(['sh', '-c', 'cat b.ts'], { searchPath })
    expect(decide(facts, { ...asked, approvalPolicy: 'untrusted' }).reason).toContain(
      `cat is the program ${join(folders.workspace, 'cat')}, a file of the writable folders`,
    )
  })

  it('says where a program in the writable folders leads', async () => {
    await symlink(join(folders.bin, 'git'), join(folders.workspace, 'build'))
    const facts = await folders.run(['./build', 'x'])
    expect(decide(facts, { ...asked, approvalPolicy: 'untrusted' }).reason).toContain(
      `./build is the program ${join(folders.workspace, 'build')}, which leads to ${join(folders.bin, 'git')}`,
    )
    await rm(join(folders.workspace, 'build'))
  })

  it('warns of a folder that is not what it seems', async () => {
    const facts = { ...(await folders.run(['git', 'fetch'])), cwd: join(folders.workspace, 'src ') }
    expect(decide(facts, { ...asked, approvalPolicy: 'untrusted' }).reason).toContain('the folder has a name that')
  })
})

describe('files', () => {
  const around = (): FileSurroundings => ({
    cwd: folders.workspace,
    roots: [folders.workspace],
    secrets: folders.around.secrets,
    standingOf: (paths, roots) => standingsHere(paths, roots, { home: folders.home, secrets: folders.around.secrets }),
    files: folders.around.files,
  })

  it('of a patch are judged by their real paths', async () => {
    const paths = ['src/new/x.ts', '../pwned', 'a/../../pwned', '/etc/x', 'homelink/x', 'key']
    const { files, contentHash } = await gatherPatchFacts({ tool: 'apply_patch', paths, patch: 'x' }, around())
    expect(files.map(({ insideRoots }) => insideRoots)).toEqual([true, false, false, false, false, false])
    expect(contentHash).toBe('sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881')
  })

  it.each([
    ['.git/hooks/pre-commit', 'repository'],
    ['.GIT/config', 'repository'],
    ['sub/.git', 'repository'],
    ['.parley/config.toml', 'parley settings'],
    ['.vscode/tasks.json', 'editor'],
    ['sub/CLAUDE.md', 'is obeyed by agents'],
    ['.claude/settings.json', 'is obeyed by agents'],
    ['.hg/hgrc', 'repository'],
    ['key', 'secrets'],
  ])('%s is protected', async (path, why) => {
    const { files } = await gatherPatchFacts({ tool: 'apply_patch', paths: [path], patch: '' }, around())
    expect(files[0]?.protectedBy).toContain(why)
  })

  it('that start programs are protected when the home folder is writable', async () => {
    const wide = { ...around(), roots: [folders.home] }
    const paths = ['.bashrc', '.zprofile', '.xsession', '.Profile', 'notes.txt'].map((name) => join(folders.home, name))
    const { files } = await gatherPatchFacts({ tool: 'apply_patch', paths, patch: '' }, wide)
    const why = 'is read when programs start'
    expect(files.map(({ protectedBy }) => protectedBy)).toEqual([why, why, why, why, null])
  })

  it.each([
    ['package.json', 'package managers run what it names'],
    ['.github/workflows/ci.yml', 'CI runs it'],
    ['sub/Makefile', 'build tools run it'],
    ['src/ѕudo.ts', 'letters that look like Latin ones'],
    ['раураӏ'.replace('ӏ', ''), 'letters that look like Latin ones'],
    ['notes.txt ', 'begins or ends with a blank'],
    ['dir /a', 'begins or ends with a blank'],
    ['ｆull.ts', 'drawn as others are'],
    ['worklink/a', 'leads to'],
  ])('of a patch that are not what they seem are remarked on (%s)', async (path, note) => {
    const linked = path.startsWith('worklink') ? join(folders.workspaceLink, 'a') : path
    const { files } = await gatherPatchFacts({ tool: 'apply_patch', paths: [linked], patch: '' }, around())
    expect(files[0]?.notes?.join()).toContain(note)
    const settings = { rules: [], sessionGrants: [], sandboxMode: 'workspace-write', enforcement: 'full' } as const
    const facts = await gatherPatchFacts({ tool: 'apply_patch', paths: [linked], patch: '' }, around())
    const decision = decide(facts, { ...settings, approvalPolicy: 'untrusted', network: false })
    expect(decision).toMatchObject({ verdict: 'ask', reason: expect.stringContaining(note) })
  })

  it.each(['src/a.ts', 'документ.md', 'naïve.txt', 'src/日本語.md', 'αρχείο.txt', 'Ångström'])(
    'of a patch with usual names are not remarked on (%s)',
    async (path) => {
      const { files } = await gatherPatchFacts({ tool: 'apply_patch', paths: [path], patch: '' }, around())
      expect(files[0]).not.toHaveProperty('notes')
    },
  )

  it('of a patch that deletes a link are judged by where the link is', async () => {
    await symlink(join(folders.outside, 'elsewhere'), join(folders.workspace, 'out'))
    await symlink(join(folders.workspace, 'b.ts'), join(folders.outside, 'in'))
    const paths = ['out', join(folders.outside, 'in'), 'homelink/x', 'b.ts']
    const call = { tool: 'apply_patch', paths, patch: '' }
    const { files } = await gatherPatchFacts({ ...call, deleted: new Set(paths) }, around())
    expect(files.map(({ insideRoots }) => insideRoots)).toEqual([true, false, false, true])
    expect(files[0]).toMatchObject({
      real: join(folders.workspace, 'out'),
      notes: [`is a link to ${join(folders.outside, 'elsewhere')}, which stays`],
    })
    expect(files[1]).toMatchObject({ real: join(folders.outside, 'in') })
    expect(files[3]).toMatchObject({ real: join(folders.workspace, 'b.ts') })
    const updated = await gatherPatchFacts(call, around())
    expect(updated.files.map(({ insideRoots }) => insideRoots)).toEqual([false, true, false, true])
    await rm(join(folders.workspace, 'out'))
    await rm(join(folders.outside, 'in'))
  })

  it('of a patch that have other names are remarked on', async () => {
    await link(join(folders.workspace, 'b.ts'), join(folders.workspace, 'second.ts'))
    const { files } = await gatherPatchFacts({ tool: 'apply_patch', paths: ['second.ts'], patch: '' }, around())
    expect(files[0]?.notes).toEqual([expect.stringContaining('has 2 names')])
    await rm(join(folders.workspace, 'second.ts'))
  })

  it('that are read are secret by their real path', async () => {
    const paths = ['b.ts', '/etc/hosts', 'key', 'homelink/.ssh/x', '../home/.netrc']
    const facts = await gatherReadFacts({ tool: 'read_file', paths, recursive: false }, around())
    expect(facts.paths.map(({ secret }) => secret)).toEqual([false, false, true, true, true])
    expect(facts.paths.map(({ insideRoots }) => insideRoots)).toEqual([true, false, false, false, false])
  })

  it('that are read recursively are secret where a folder contains a secret path', async () => {
    const paths = ['.', '..', '../home', 'src', 'b.ts', '../home/.ssh', '../outside']
    const secretOf = async (recursive: boolean) =>
      (await gatherReadFacts({ tool: 'search', paths, recursive }, around())).paths.map(({ secret }) => secret)
    expect(await secretOf(true)).toEqual([false, true, true, false, false, true, false])
    expect(await secretOf(false)).toEqual([false, false, false, false, false, true, false])
  })
})
