import { copyFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { openSandboxes } from '../../../src/sandbox/probe/open-sandboxes.ts'
import type { SandboxLimits } from '../../../src/sandbox/sandbox.ts'
import { refusedCalls } from '../../../src/sandbox/seccomp/refused-calls.ts'
import { findProgram, programFolders } from '../../../src/system/programs.ts'
import { fixturePath } from '../../fixture-process.ts'
import { openPlayground } from '../playground.ts'
import { runLimited } from '../run-limited.ts'

const sandboxes = openSandboxes({ cacheFile: null })
const { enforcement, reason } = await sandboxes.report()
const hasPerl = findProgram('perl', programFolders('')) !== null
const isFull = enforcement === 'full' && process.platform === 'linux' && hasPerl
const calls = refusedCalls.filter(
  (name) => process.arch === 'x64' || !/^(_sysctl|uselib|modify_ldt|iopl|ioperm|.*_module|get_kernel_syms)$/.test(name),
)
/** Returns the result of each attempt. */
async function attempt(
  probes: readonly string[],
  limits: Partial<SandboxLimits> = {},
): Promise<{ allowed: string[]; count: number }> {
  using ground = openPlayground()
  // The folder of this file may be hidden inside.
  const script = ground.path('workspace/probe.pl')
  copyFileSync(fixturePath('probe.pl'), script)
  const sandbox = await sandboxes.prepare(ground.limits(limits))
  const { lines } = await runLimited(sandbox, probes.map((each) => `perl ${script} ${each}`).join('\n'))
  sandbox.release?.()
  const told = lines.filter((line) => /: (allowed|blocked)/.test(line))
  expect(lines).toEqual(told)
  return { allowed: told.filter((line) => line.includes(': allowed')), count: told.length }
}

describe.skipIf(!isFull)(
  `the filter in the full sandbox${isFull ? '' : ` (${hasPerl ? reason : 'no Perl to try it with'})`}`,
  () => {
    it('refuses every listed call in a real kernel', async () => {
      const { allowed, count } = await attempt([
        `syscalls ${calls.join(' ')}`,
        'namespaces',
        'sockets',
        'unix',
        'tiocsti',
      ])
      expect(allowed).toEqual([])
      expect(count).toBeGreaterThan(calls.length + 7)
    })

    it.skipIf(process.arch !== 'x64')('refuses the numbers and conventions of other processors', async () => {
      const { allowed, count } = await attempt(['x32 socket', 'x32 ptrace', 'foreign'])
      expect(allowed).toEqual([])
      expect(count).toBe(3)
    })

    it('keeps socket pairs from reaching a socket of the system', async () => {
      using ground = openPlayground()
      const path = ground.path('out/socket')
      let contacts = 0
      const server = createServer(() => contacts++).listen(path)
      await new Promise((resolve) => server.once('listening', resolve))
      const { allowed, count } = await attempt([`connect ${path}`])
      server.close()
      expect(allowed).toEqual([])
      expect(count).toBe(8)
      expect(contacts).toBe(0)
    })

    it.each([false, true])('keeps abstract sockets of the system out of reach (network: %s)', async (network) => {
      const name = `parley-test-${process.pid}-${network}`
      let contacts = 0
      const server = createServer(() => contacts++).listen(`\0${name}`)
      await new Promise((resolve) => server.once('listening', resolve))
      const { allowed } = await attempt([`connect @${name}`], { unixSockets: true, network })
      server.close()
      expect(allowed.filter((line) => line.startsWith('unix stream:'))).toEqual([])
      expect(contacts).toBe(0)
    })

    it('allows unix sockets when the limits do', async () => {
      expect((await attempt(['unix'], { unixSockets: true })).allowed).toHaveLength(4)
    })
  },
)
