import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { guardFor } from '@parley/host'
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
  const guardOf = async (paths: readonly string[], roots: readonly string[]) =>
    paths.map(await guardFor(roots, { home }))
  const checkedPaths = await checkNamedPaths({ script, output, cwd: at('work'), limits, enforcement, home, guardOf })
  const block = detectBlock({ exitCode: 1, triedNetwork: false, hasNetwork: false, checkedPaths })
  return block?.paths.map((path) => path.slice(root.length + 1)) ?? []
}

describe('the sandbox is found to be in the way', () => {
  it.each([
    ['of a file outside', "touch: cannot touch '../other/x': no", 'other/x'],
    ['of one below folders that are not there yet', "mkdir: cannot create '../other/a/b/c': no", 'other/a/b/c'],
    ['behind a link', "touch: cannot touch 'link/x': no", 'other/x'],
    ['of a protected file inside', "fatal: Unable to create '.git/index.lock': no", 'work/.git/index.lock'],
    ['of a protected file that is not there yet', "touch: cannot touch 'sub/.parley/x': no", 'work/sub/.parley/x'],
  ])('%s', async (_, output, path) => {
    expect(await blocked(output)).toEqual([path])
  })

  it('of what it hides, also where the script alone names it', async () => {
    expect(await blocked("cat: '../home/.ssh/id': No such file or directory")).toEqual(['home/.ssh/id'])
    expect(await blocked('', 'cat ~/.ssh/id')).toEqual(['home/.ssh/id'])
  })

  it('of what a script redirects to, without a word of output', async () => {
    expect(await blocked('', 'echo x > ../other/y')).toEqual(['other/y'])
  })

  it('in the workspace only where that is read-only', async () => {
    const output = "touch: cannot touch 'made': no"
    expect(await blocked(output)).toEqual([])
    expect(await blocked(output, '', 'read-only')).toEqual(['work/made'])
  })

  it('at the top of the workspace where the sandbox is partial, but not in its folders, nor of what is there', async () => {
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
