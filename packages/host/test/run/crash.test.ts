import { mkdirSync, readdirSync, realpathSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseMark, sweepOrphans } from '../../src/index.ts'
import { prepareBubblewrap } from '../../src/sandbox/bubblewrap/prepare-bubblewrap.ts'
import { listPids, pidNamespace, readStat } from '../../src/system/process-table.ts'
import { type FixtureServer, startFixture } from '../fixture-process.ts'
import { hasBubblewrap, machine, whyNot } from '../sandbox/bubblewrap/bubblewrap-here.ts'
import { markedPids, waitUntil } from '../waiting.ts'
import { openWorkspace } from '../workspace.ts'

const tree = 'sleep 60 & setsid sleep 60 & (trap "" INT TERM; sleep 60; :) & echo up; sleep 60'
const treeSize = 6

interface Started {
  readonly mark: string
  readonly guardPid: number
}

async function whenUp(server: FixtureServer, size = treeSize): Promise<Started> {
  await waitUntil(() => server.output().endsWith('\n'))
  const { mark, guardPid }: Started = JSON.parse(server.output())
  await waitUntil(() => markedPids(mark).length === size)
  return { mark, guardPid }
}

/** Lists the processes in the pid namespace of a sandboxed command with this mark. */
function insideWith(mark: string): number[] {
  const namespace = markedPids(mark)
    .map(pidNamespace)
    .find((each) => each !== null && each !== pidNamespace('self'))
  return listPids().filter((pid) => namespace !== undefined && pidNamespace(pid) === namespace)
}

function isRunning(pid: number): boolean {
  return readStat(pid)?.ending === false
}

describe.runIf(process.platform === 'linux')('a server that is killed with SIGKILL', { timeout: 60_000 }, () => {
  it('leaves no process of its commands, and no guard', async () => {
    await using server = startFixture('crashing-server.ts', tree)
    const { mark, guardPid } = await whenUp(server)
    await server.kill()
    await waitUntil(() => markedPids(mark).length === 0)
    await waitUntil(() => !isRunning(guardPid))
    expect([markedPids(mark), isRunning(guardPid)]).toEqual([[], false])
  })

  it('and whose guard is killed leaves orphans, which the next start sweeps', async () => {
    await using server = startFixture('crashing-server.ts', tree)
    const { mark, guardPid } = await whenUp(server)
    process.kill(server.pid, 'SIGSTOP') // or it would start another guard
    process.kill(guardPid, 'SIGKILL')
    await server.kill()
    expect(markedPids(mark)).toHaveLength(treeSize)
    // Other tests on this machine have servers of their own; only this one counts as gone.
    const owner = parseMark(mark)
    expect(await sweepOrphans((other) => other.pid !== owner?.pid)).toBe(treeSize)
    await waitUntil(() => markedPids(mark).length === 0)
  })

  it.skipIf(!hasBubblewrap)(`and whose guard is killed leaves nothing of a sandboxed command${whyNot}`, async () => {
    using workspace = openWorkspace()
    const root = realpathSync(workspace.path('.'))
    await using server = startFixture('crashing-server.ts', 'setsid env -i sleep 60 & sleep 60 & echo up; wait', root)
    const { mark, guardPid } = await whenUp(server, 4)
    await waitUntil(() => insideWith(mark).length === 4)
    const inside = insideWith(mark)
    process.kill(server.pid, 'SIGSTOP')
    process.kill(guardPid, 'SIGKILL')
    await server.kill()
    await waitUntil(() => markedPids(mark).length === 0 && !inside.some(isRunning))
    // Placeholders of reserved names are removed with those of the next command.
    expect(readdirSync(root)).toContain('.parley')
    const limits = { writableRoots: [root], network: false, unixSockets: false, masked: [], scratch: null }
    const next = await prepareBubblewrap({ mode: 'workspace-write', ...limits }, machine('/nowhere'))
    next.release?.()
    expect(readdirSync(root)).toEqual([])
  })

  it.skipIf(!hasBubblewrap)(`leaves no reserved name, no temporary folder and no socket${whyNot}`, async () => {
    using workspace = openWorkspace()
    const [root, notes, temporary] = ['a b*', 'notes', 'tmp'].map((name) => {
      mkdirSync(workspace.path(name))
      return realpathSync(workspace.path(name))
    })
    const before = process.env['TMPDIR']
    process.env['TMPDIR'] = temporary
    await using server = startFixture('crashing-server.ts', 'echo up; exec sleep 60', root ?? '', notes ?? '')
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
    const { guardPid } = await whenUp(server, 3)
    expect(readdirSync(root ?? '')).toContain('.parley')
    expect(readdirSync(temporary ?? '')).toEqual([expect.stringMatching(/^parley-ephemeral-/)])
    await server.kill()
    await waitUntil(() => !isRunning(guardPid))
    expect([root, notes, temporary].map((path) => readdirSync(path ?? ''))).toEqual([[], ['a socket of kept'], []])
  })

  it('and whose guard was killed earlier has started another guard', async () => {
    await using server = startFixture('crashing-server.ts', `${tree} & while :; do echo; sleep 0.1; done`)
    await waitUntil(() => server.output().includes('\n'))
    const first = lastLine(server)
    await waitUntil(() => markedPids(first.mark).length > treeSize)
    // A guard is replaced only after it has lived for a second.
    await waitUntil(() => server.output().split('\n').length > 15)
    process.kill(first.guardPid, 'SIGKILL')
    await waitUntil(() => ![first.guardPid, null].includes(lastLine(server).guardPid))
    await server.kill()
    await waitUntil(() => markedPids(first.mark).length === 0)
    expect(markedPids(first.mark)).toEqual([])
  })
})

function lastLine(server: FixtureServer): Started {
  return JSON.parse(server.output().trimEnd().split('\n').at(-1) ?? '')
}
