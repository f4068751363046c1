import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CommandSpec, type Host, noSandbox, openHost, type RunningCommand, sweepMarked } from '../../src/index.ts'
import { fixturePath } from '../fixture-process.ts'
import { command, markedPids, shellCommand, waitUntil } from '../waiting.ts'
import { openWorkspace, type Workspace } from '../workspace.ts'

const sandbox = noSandbox
let host: Host
beforeAll(async () => {
  host = openHost()
  await host.warmUp()
})
afterAll(() => host.close())

interface Tree {
  readonly running: RunningCommand
  endLeader(): void
}

/** Background job, `setsid` grandchild, double fork with closed descriptors, TERM-ignoring shell: 7 processes, all up. */
async function startTree(
  workspace: Workspace,
  leader: 'plain' | 'stubborn',
  more: Partial<CommandSpec> = {},
): Promise<Tree> {
  const fifo = workspace.path('end')
  execFileSync('mkfifo', [fifo])
  const running = host.runCommand(command(['sh', fixturePath('tree.sh'), fifo, leader], more), { sandbox })
  await waitUntil(() => markedPids(running.mark).length === 7)
  return { running, endLeader: () => writeFileSync(fifo, 'end\n') }
}

const nothingLeft = (mark: string) => waitUntil(() => markedPids(mark).length === 0)

describe.runIf(process.platform === 'linux').concurrent('the tree of 7 processes', { timeout: 60_000 }, () => {
  it('leaves nothing when its leader exits, and the 6 it left are counted', async ({ expect }) => {
    using workspace = openWorkspace()
    const tree = await startTree(workspace, 'plain')
    tree.endLeader()
    expect(await tree.running.ended).toMatchObject({ exitCode: 9, reason: 'exited', leftovers: 6 })
    await nothingLeft(tree.running.mark)
  })

  it.for(['plain', 'stubborn'] as const)(
    'leaves nothing after an interrupt (%s leader)',
    async (leader, { expect }) => {
      using workspace = openWorkspace()
      const { running } = await startTree(workspace, leader)
      running.stop('interrupted')
      const end = await running.ended
      expect(end).toMatchObject({ reason: 'interrupted', signal: leader === 'plain' ? 'SIGINT' : 'SIGKILL' })
      await nothingLeft(running.mark)
    },
  )

  it.for(['plain', 'stubborn'] as const)('leaves nothing after a shutdown (%s leader)', async (leader, { expect }) => {
    using workspace = openWorkspace()
    const { running } = await startTree(workspace, leader)
    running.stop('shutdown')
    const end = await running.ended
    expect(end).toMatchObject({ reason: 'shutdown', signal: leader === 'plain' ? 'SIGTERM' : 'SIGKILL' })
    await nothingLeft(running.mark)
  })

  it('leaves nothing after a timeout', async ({ expect }) => {
    using workspace = openWorkspace()
    const { running } = await startTree(workspace, 'stubborn', { timeoutMs: 1000 })
    expect(await running.ended).toMatchObject({ reason: 'timedOut', exitCode: null, signal: 'SIGKILL' })
    await nothingLeft(running.mark)
  })

  it('leaves nothing after its leader was killed from outside', async ({ expect }) => {
    using workspace = openWorkspace()
    const { running } = await startTree(workspace, 'plain')
    if (running.pid !== null) process.kill(running.pid, 'SIGKILL')
    expect(await running.ended).toMatchObject({ reason: 'exited', signal: 'SIGKILL', leftovers: 6 })
    await nothingLeft(running.mark)
  })

  it('leaves nothing when the host is closed', async ({ expect }) => {
    await using own = openHost()
    const running = own.runCommand(shellCommand('setsid sleep 60 & sleep 60 & sleep 60'), { sandbox })
    await waitUntil(() => markedPids(running.mark).length === 4)
    await own.close()
    await nothingLeft(running.mark)
    expect((await running.ended).reason).toBe('shutdown')
  })
})

describe.runIf(process.platform === 'linux')('what a command leaves behind', () => {
  it('a setsid grandchild that holds the output does not hold the end', async () => {
    const end = await host.runCommand(shellCommand('setsid sleep 60 & exit 0'), { sandbox }).ended
    expect(end).toMatchObject({ exitCode: 0, leftovers: 1 })
  })

  it('a daemon that closed all descriptors is found and counted', async () => {
    const script = `(setsid sh -c 'exec </dev/null >/dev/null 2>&1; exec sleep 60' &); exit 0`
    const { mark, ended } = host.runCommand(shellCommand(script), { sandbox })
    expect((await ended).leftovers).toBe(1)
    await nothingLeft(mark)
  })

  it('a process that ended by itself is no leftover', async () => {
    const end = await host.runCommand(shellCommand('true & wait; true'), { sandbox }).ended
    expect(end.leftovers).toBe(0)
  })

  it('output written during the drain is read', async () => {
    const end = await host.runCommand(shellCommand('(while kill -0 $$ 2>/dev/null; do :; done; echo late) & exit 0'), {
      sandbox,
    }).ended
    expect(end.head.toString()).toBe('late\n')
    expect(end.leftovers).toBe(0)
  })

  it('another command is left alone', async () => {
    const other = host.runCommand(command(['sleep', '60']), { sandbox })
    await host.runCommand(shellCommand('setsid sleep 60 & exit 0'), { sandbox }).ended
    expect(markedPids(other.mark)).toEqual([other.pid])
    expect(await sweepMarked(other.mark)).toBe(1)
    expect(await other.ended).toMatchObject({ reason: 'exited', signal: 'SIGKILL' })
  })
})
