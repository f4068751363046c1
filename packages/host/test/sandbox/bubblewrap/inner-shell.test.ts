import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { innerShell } from '../../../src/sandbox/bubblewrap/inner-shell.ts'
import { mountedOverItself, readMountTable } from '../../../src/sandbox/bubblewrap/mount-table.ts'

const isLinux = process.platform === 'linux'
const cat = isLinux ? '/bin/cat' : null

/** Not in a namespace, so that what it finds is what is mounted here. */
function run(mounts: readonly string[], withCat: boolean) {
  const shell = innerShell({ mounts, cat: withCat ? cat : null, watchNetwork: false, limitTasks: false })
  const stdio = ['ignore', 'pipe', 'pipe', 'ignore'] as const
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', shell, 'sh', 'echo', 'ran'], {
    stdio: [...stdio],
    encoding: 'utf8',
  })
  return { status, said: `${stdout}${stderr}` }
}

describe.skipIf(!isLinux)('the first process of a sandbox', () => {
  it.each([true, false])('runs the command where all is mounted as was meant (with cat: %s)', (withCat) => {
    const mounts = ['/', '/proc'].map((path) => mountedOverItself(path, readMountTable()) ?? 'unknown')
    expect(run(mounts, withCat)).toEqual({ status: 0, said: 'ran\n' })
  })

  it.each([true, false])('runs nothing where another folder is mounted (with cat: %s)', (withCat) => {
    for (const other of [' 0:0 / / ', ` 254:0 /it's /a\\040b `]) {
      const { status, said } = run([other], withCat)
      expect(status).toBe(125)
      expect(said).toContain('nothing was run')
    }
  })
})
