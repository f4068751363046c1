import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { commandOf, restoreSandboxCache, startCli, waitUntil } from '@parley/testkit'
import { isLong } from '@parley/testkit/long-runs'
import { expect, test, vi } from 'vitest'
import { execWorld, fullAccess, shell } from './exec-world.ts'

vi.setConfig({ testTimeout: 120_000 })

const endings = ['interrupt', 'kill the client', 'kill the server', 'kill both'] as const

test.each(isLong ? endings : endings.slice(2))(
  'a replay with live tools that ends by "%s" leaves no process and no copy behind',
  async (ending) => {
    // A number that is in the command line of all that the call starts.
    const seconds = `86401.${process.pid}${endings.indexOf(ending)}`
    const command = `test -e quick || { setsid sleep ${seconds} & sleep ${seconds}; }`
    await using world = await execWorld({ steps: [shell(command), { text: 'Done.' }], files: { quick: '' } })
    await world.exec([...fullAccess, 'the task'])
    await rm(world.path('quick'))
    const temporary = `${world.home}/tmp`
    await mkdir(temporary)
    restoreSandboxCache(world.env.PARLEY_HOME)
    // Longer than the call is waited for, so that a failure says which of the two did not come.
    const options = { env: { ...world.env, TMPDIR: temporary }, cwd: world.cwd, timeoutMs: 60_000 }
    const sleeping = () => pidsWith(`sleep\0${seconds}`)
    await using run = startCli(['replay', '--live-tools'], options)
    await Promise.race([run.result, waitUntil(() => sleeping().length > 0, { what: 'the call', timeoutMs: 40_000 })])
    // A machine without a full sandbox refuses.
    if (sleeping().length === 0) return expect((await run.result).stderr).toContain('enforced in full')
    expect(copies(temporary)).toHaveLength(1)
    const server = run.processes().find((pid) => commandOf(pid).includes('server.mjs'))
    if (ending === 'interrupt') run.signal('SIGINT')
    if (ending === 'kill the client' || ending === 'kill both') run.signal('SIGKILL')
    if (ending === 'kill the server' || ending === 'kill both') process.kill(server ?? 0, 'SIGKILL')
    await run.result
    await waitUntil(() => sleeping().length === 0, { what: 'the end of the call', timeoutMs: 30_000 })
    await using next = startCli(['list'], options)
    await next.result
    await waitUntil(() => copies(temporary).length === 0, { what: 'a folder without the copy', timeoutMs: 30_000 })
    expect(readdirSync(world.cwd)).toEqual([])
  },
)

function copies(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => name.startsWith('parley-replay-'))
}

function pidsWith(words: string): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && commandLine(pid).includes(words))
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
