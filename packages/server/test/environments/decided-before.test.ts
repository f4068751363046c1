import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { openSandboxes } from '@parley/host'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FarMachine, startFarMachine } from './support/far-machine.ts'
import { calling, heard, placeFor, shell } from './support/far-talk.ts'
import { resumeIn, talkIn } from './support/next-server.ts'

const { enforcement } = await openSandboxes({ cacheFile: null }).report()

describe.skipIf(enforcement !== 'full')('a call that went on under the next server', () => {
  let machine: FarMachine
  beforeAll(async () => {
    machine = await startFarMachine()
  })
  afterAll(() => machine[Symbol.asyncDispose]())

  it('is not stopped where rights were taken that it did not have', async () => {
    await using place = placeFor(machine.newFolder())
    const path = join(place.far.work, 'pipe')
    execFileSync('mkfifo', [path])
    // For both, since it would wait for a reader otherwise.
    const pipe = openSync(path, constants.O_RDWR)
    const first = await talkIn(place, calling(shell('cat pipe')), { approvalPolicy: 'on-request', network: true })
    await first.watched.send('go')
    writeSync(pipe, 'up\n')
    await first.watched.until(() => heard(first.watched) === 'up\n')
    await first.server.close()

    const next = await resumeIn(place, first.watched.conversationId)
    closeSync(pipe)
    await next.watched.turnEnded()
    expect(next.watched.state.core.settings.network).not.toBe(true)
    expect(next.watched.items()[1]).toMatchObject({
      status: 'completed',
      output: { head: 'up\n' },
      decision: { verdict: 'allow', limits: { sandbox: 'read-only', network: false } },
    })
  })

  it('is asked about once the sandbox blocked it, and runs again after a yes', async () => {
    await using place = placeFor(machine.newFolder())
    const reachOut = `/bin/bash -c 'echo x > /dev/tcp/192.0.2.1/9' 2>/dev/null`
    const command = `echo ran >> ran; mkdir once || exit 0; echo up; until [ -e go ]; do sleep 0.05; done; ${reachOut}; exit 3`
    const first = await talkIn(place, calling(shell(command)), { approvalPolicy: 'on-failure' })
    await first.watched.send('go')
    await first.watched.until(() => heard(first.watched) === 'up\n')
    await first.server.close()
    place.far.write('go', '')

    const next = await resumeIn(place, first.watched.conversationId)
    expect(await next.watched.approval()).toMatchObject({ attempt: 2, network: true })
    expect(Object.values(next.watched.state.core.open)).toMatchObject([
      { failedExecution: { exitCode: 3, sandboxBlock: { network: true }, decision: { verdict: 'allow' } } },
    ])
    expect(place.far.read('ran')).toBe('ran\n')
    await next.watched.decide('approved')
    await next.watched.turnEnded()
    expect(next.watched.items()[1]).toMatchObject({ status: 'completed', attempt: 2, decision: { verdict: 'ask' } })
    expect(place.far.read('ran')).toBe('ran\nran\n')
  })
})
