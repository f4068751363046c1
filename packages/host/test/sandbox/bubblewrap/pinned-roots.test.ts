import { cpSync, existsSync, mkdirSync, renameSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { prepareBubblewrap } from '../../../src/sandbox/bubblewrap/prepare-bubblewrap.ts'
import { runWrapped } from '../../../src/sandbox/probe/try-limits.ts'
import { identityOf } from '../../../src/system/real-path.ts'
import { openPlayground, type Playground } from '../playground.ts'
import { runLimited } from '../run-limited.ts'
import { hasBubblewrap, machine, whyNot } from './bubblewrap-here.ts'

/** Puts another folder with the same content in place of the workspace, at the same path. */
function exchange(ground: Playground): void {
  renameSync(ground.path('workspace'), ground.path('moved'))
  cpSync(ground.path('moved'), ground.path('workspace'), { recursive: true })
}

const touch = (ground: Playground) => ({
  argv: ['/bin/sh', '-c', 'touch made'],
  cwd: ground.path('workspace'),
  env: { PATH: '/usr/bin:/bin' },
})

describe.skipIf(!hasBubblewrap)(`a command in a folder that is pinned${whyNot}`, () => {
  it.each(['read-only', 'workspace-write'] as const)(
    'is not run when another folder has got the path right before the mounts, in %s',
    async (mode) => {
      using ground = openPlayground('/var/tmp')
      const sandbox = await prepareBubblewrap(ground.limits({ mode }), machine(ground.path('home')))
      const wrapped = sandbox.wrap(touch(ground))
      exchange(ground)
      const { exitCode, stdout, stderr } = await runWrapped(wrapped, 20_000)
      sandbox.release?.()
      expect(exitCode).toBe(125)
      expect(`${stdout}${stderr}`).toContain('a folder was exchanged meanwhile; nothing was run')
      expect([existsSync(ground.path('workspace/made')), existsSync(ground.path('moved/made'))]).toEqual([false, false])
    },
  )

  it('is not started when another folder has got the path since the limits were prepared', async () => {
    using ground = openPlayground('/var/tmp')
    const sandbox = await prepareBubblewrap(ground.limits(), machine(ground.path('home')))
    exchange(ground)
    expect(() => sandbox.wrap(touch(ground))).toThrow('workspace was exchanged meanwhile')
    sandbox.release?.()
  })

  it('is not prepared when the folder is another one than when it was pinned', async () => {
    using ground = openPlayground('/var/tmp')
    const root = ground.path('workspace')
    const identities = new Map([[root, identityOf(root) ?? '']])
    const here = machine(ground.path('home'))
    const sandbox = await prepareBubblewrap(ground.limits({ identities }), here)
    sandbox.release?.()
    exchange(ground)
    await expect(prepareBubblewrap(ground.limits({ identities }), here)).rejects.toThrow('was exchanged meanwhile')
  })

  it('gets no descriptor of its folders, however many there are', async () => {
    using ground = openPlayground('/var/tmp')
    const more = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ground.path(name))
    for (const folder of more) mkdirSync(folder)
    const limits = ground.limits({ writableRoots: [ground.path('workspace'), ...more] })
    const sandbox = await prepareBubblewrap(limits, machine(ground.path('home')))
    const { exitCode, lines } = await runLimited(sandbox, 'ls /proc/$$/fd; readlink /proc/$$/fd/*; true')
    sandbox.release?.()
    expect(exitCode).toBe(0)
    expect(lines.filter((line) => line.startsWith(ground.path('.')))).toEqual([])
    // Higher ones are of whoever runs the tests: a server closes them.
    expect(lines.filter((line) => /^1?\d$/.test(line))).toEqual(['0', '1', '2'])
  })
})
