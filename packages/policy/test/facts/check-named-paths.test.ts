import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { standingsHere } from '@parley/workspace'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { detectBlock } from '../../src/decision/sandbox-block.ts'
import { checkNamedPaths } from '../../src/facts/check-named-paths.ts'

let root = ''
// Not below /tmp, which every sandbox has of its own.
beforeEach(() => {
  root = realpathSync(mkdtempSync('/var/tmp/parley-places-'))
  for (const folder of ['work/.git', 'other', 'home/.ssh']) mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(join(root, 'home/.ssh/id'), 'x')
  symlinkSync(join(root, 'other'), join(root, 'work/link'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

async function blocked(
  output: string,
  script = '',
  mode: 'read-only' | 'workspace-write' = 'workspace-write',
  enforcement: 'full' | 'partial' = 'full',
) {
  const at = (path: string) => join(root, path)
  const limits = {
    mode,
    writableRoots: [at('work')],
    network: false,
    unixSockets: false,
    masked: [at('home/.ssh')],
    scratch: null,
  }
  const home = at('home')
  const standingOf = (paths: readonly string[], roots: readonly string[]) =>
    standingsHere(paths, roots, { home, secrets: [] })
  const checkedPaths = await checkNamedPaths({ script, output, cwd: at('work'), limits, enforcement, home, standingOf })
  const block = detectBlock({ exitCode: 1, triedNetwork: false, hasNetwork: false, checkedPaths })
  return block?.paths.map((path) => relative(root, path)) ?? []
}

describe('a failed command is blocked by the sandbox', () => {
  it.each([
    ['for a file outside the workspace', "touch: cannot touch '../other/x': no", 'other/x'],
    ['for a file below missing folders', "mkdir: cannot create '../other/a/b/c': no", 'other/a/b/c'],
    ['for a file behind a link', "touch: cannot touch 'link/x': no", 'other/x'],
    ['for a protected file in the workspace', "fatal: Unable to create '.git/index.lock': no", 'work/.git/index.lock'],
    ['for a missing protected file', "touch: cannot touch 'sub/.parley/x': no", 'work/sub/.parley/x'],
  ])('%s', async (_, output, path) => {
    expect(await blocked(output)).toEqual([path])
  })

  it('for a hidden file that only the script names', async () => {
    expect(await blocked("cat: '../home/.ssh/id': No such file or directory")).toEqual(['home/.ssh/id'])
    expect(await blocked('', 'cat ~/.ssh/id')).toEqual(['home/.ssh/id'])
  })

  it('for the target of a redirection, without any output', async () => {
    expect(await blocked('', 'echo x > ../other/y')).toEqual(['other/y'])
  })

  it('for what git locks below /tmp, of a repository that the sandbox shows for a work tree', async () => {
    const repository = mkdtempSync('/tmp/parley-places-')
    try {
      for (const folder of ['worktrees/work', 'objects', 'refs'])
        mkdirSync(join(repository, folder), { recursive: true })
      for (const head of ['HEAD', 'worktrees/work/HEAD'])
        writeFileSync(join(repository, head), 'ref: refs/heads/main\n')
      writeFileSync(join(repository, 'worktrees/work/commondir'), '../..\n')
      rmSync(join(root, 'work/.git'), { recursive: true })
      writeFileSync(join(root, 'work/.git'), `gitdir: ${repository}/worktrees/work\n`)
      const lock = `${realpathSync(repository)}/worktrees/work/index.lock`
      const output = `fatal: Unable to create '${lock}': Read-only file system`
      expect(await blocked(output)).toEqual([relative(root, lock)])
    } finally {
      rmSync(repository, { recursive: true })
    }
  })

  it('in the workspace only in read-only mode', async () => {
    const output = "touch: cannot touch 'made': no"
    expect(await blocked(output)).toEqual([])
    expect(await blocked(output, '', 'read-only')).toEqual(['work/made'])
  })

  it('for a new file at the top of the workspace in a partial sandbox, but not in its folders or for existing files', async () => {
    mkdirSync(join(root, 'work/sub'))
    writeFileSync(join(root, 'work/here'), '')
    const of = (path: string, enforcement: 'full' | 'partial') =>
      blocked(`touch: cannot touch '${path}': Permission denied`, '', 'workspace-write', enforcement)
    expect(await of('made', 'partial')).toEqual(['work/made'])
    expect(await of('new/made', 'partial')).toEqual(['work/new/made'])
    expect(await of('sub/made', 'partial')).toEqual([])
    expect(await of('here', 'partial')).toEqual([])
    expect(await of('made', 'full')).toEqual([])
  })

  it.each(['/tmp/x', '/dev/null', '/proc/self/mem', '/sys/x'])(
    'not of %s, which is another one inside',
    async (path) => {
      expect(await blocked(`x: cannot write '${path}': no`)).toEqual([])
    },
  )
})
