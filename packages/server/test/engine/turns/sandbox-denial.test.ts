import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeSandboxes } from '@parley/engine/test/support/fake-sandboxes.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { TestPorts } from '@parley/engine/test/support/test-parts.ts'
import { openHost } from '@parley/host'
import { describe, expect, it } from 'vitest'
import { type TestPlace, testPlace } from '../support/test-server.ts'

/** Fails the first time, as if it could not write to `.git`; says in a file how often it ran. */
const command = `echo ran >> ran; if mkdir once 2>/dev/null; then echo "fatal: cannot lock '.git/x': no"; exit 3; fi`
const calls = [{ name: 'shell', args: { command } }]
const block = (place: TestPlace) => ({ paths: [join(place.cwd, '.git', 'x')], network: false })

function begin(place: TestPlace, ports: TestPorts = {}, approvalPolicy: 'on-failure' | 'on-request' = 'on-failure') {
  return place.talk(
    { model: scriptedModel({ calls }, { text: 'ok' }), ...fakeSandboxes(), ...ports },
    { approvalPolicy },
  )
}

const timesRun = (place: TestPlace) => place.read('ran').trim().split('\n').length

describe('a blocked command under on-failure', () => {
  it('is asked about, and runs again outside the sandbox after the approval', async () => {
    await using place = testPlace()
    const fake = fakeSandboxes()
    const { watched } = await begin(place, fake)
    await watched.send('go')
    expect(await watched.approval()).toMatchObject({
      kind: 'escalation',
      attempt: 2,
      sandbox: 'none',
      network: true,
      rule: { name: 'builtin:retry-outside' },
      reason: expect.stringContaining(join(place.cwd, '.git', 'x')),
      decisions: ['approved', 'denied', 'abort'],
    })
    expect(Object.values(watched.state.core.open)).toMatchObject([
      { executionStarted: false, failedExecution: { exitCode: 3 } },
    ])
    await watched.decide('approved')
    await watched.turnEnded()
    expect(timesRun(place)).toBe(2)
    expect(fake.prepared).toHaveLength(1)
    const story = watched.story().filter((line) => /^(?:(?:execution\.|item\.completed shell)|approval)/.test(line))
    expect(story).toEqual([
      'execution.started by builtin:sandboxed',
      'execution.failed',
      'approval.requested',
      'approval.decided approved',
      'execution.started by approval',
      'item.completed shell completed',
    ])
    const item = watched.items()[1]
    expect(item).toMatchObject({
      status: 'completed',
      attempt: 2,
      exitCode: 0,
      decision: { limits: { sandbox: 'none' } },
    })
    expect(item).not.toHaveProperty('sandboxBlock')
  })

  it('keeps its first outcome when it is denied, with the note of the user', async () => {
    await using place = testPlace()
    const model = scriptedModel({ calls }, { text: 'ok' })
    const { watched } = await begin(place, { model })
    await watched.send('go')
    await watched.decide('denied', 'leave it')
    await watched.turnEnded()
    expect(timesRun(place)).toBe(1)
    expect(watched.items()[1]).toMatchObject({
      status: 'failed',
      exitCode: 3,
      attempt: 1,
      sandboxBlock: block(place),
    })
    expect(model.requests[1]?.entries.at(-1)).toMatchObject({
      text: expect.stringMatching(
        /^exit 3.*does not let.*denied running it again with more rights and says: leave it/s,
      ),
    })
  })

  it('keeps its first outcome when the turn is interrupted', async () => {
    await using place = testPlace()
    const { client, watched } = await begin(place)
    await watched.send('go')
    await watched.approval()
    await client.request('conversation/interrupt', { conversationId: watched.conversationId })
    await watched.turnEnded()
    expect(watched.items()[1]).toMatchObject({ status: 'failed', exitCode: 3 })
    expect(timesRun(place)).toBe(1)
  })

  it('is asked about after a restart, and runs once more', async () => {
    await using place = testPlace()
    const { server, watched: before } = await begin(place)
    const { conversationId } = before
    await before.send('go')
    const { id } = await before.approval()
    await server.close()
    const client = await place.start({ model: scriptedModel({ text: 'ok' }), ...fakeSandboxes() }).connect()
    await client.request('conversation/resume', { conversationId })
    const watched = await client.watch(conversationId)
    expect((await watched.approval()).id).toBe(id)
    await watched.decide('approved')
    await watched.until(({ core }) => core.turn === null)
    expect(timesRun(place)).toBe(2)
  })

  it('is not run again when a crash lost the question', async () => {
    await using place = testPlace()
    const { server, watched: before } = await begin(place)
    const { conversationId } = before
    await before.send('go')
    await before.approval()
    await server.close()
    const log = place.path(conversationId)
    const lines = readFileSync(log, 'utf8').split('\n')
    const at = lines.findIndex((line) => line.includes('"execution.failed"'))
    writeFileSync(log, `${lines.slice(0, at + 1).join('\n')}\n`)
    const client = await place.start({ model: scriptedModel(), ...fakeSandboxes() }).connect()
    await client.request('conversation/resume', { conversationId })
    const watched = await client.watch(conversationId)
    expect(watched.state.core.turn).toBeNull()
    expect(watched.items()).toContainEqual(
      expect.objectContaining({ type: 'commandExecution', exitCode: 3, attempt: 1 }),
    )
    expect(timesRun(place)).toBe(1)
  })

  it('keeps its first outcome when the policy offers no retry', async () => {
    await using place = testPlace()
    const { client, watched } = await begin(place)
    const { conversationId } = watched
    await watched.send('go')
    await watched.approval()
    await client.request('conversation/configure', { conversationId, settings: { approvalPolicy: 'never' } })
    await watched.decide('approved')
    await watched.turnEnded()
    expect(watched.items()[1]).toMatchObject({ status: 'failed', exitCode: 3 })
    expect(timesRun(place)).toBe(1)
  })

  it('is offered only the network when only the network was blocked', async () => {
    await using place = testPlace()
    const fake = fakeSandboxes()
    const host = openHost()
    const tried: TestPorts = {
      ...fake,
      model: scriptedModel({ calls: [{ name: 'shell', args: { command: 'mkdir once' } }] }, { text: 'ok' }),
      host: {
        ...host,
        [Symbol.asyncDispose]: () => host.close(),
        runCommand(spec, options) {
          const running = host.runCommand({ ...spec, argv: ['/bin/sh', '-c', 'exit 6'] }, options)
          return Object.assign(running, { ended: running.ended.then((end) => ({ ...end, triedNetwork: true })) })
        },
      },
    }
    const { watched } = await begin(place, tried)
    await watched.send('go')
    expect(await watched.approval()).toMatchObject({ kind: 'network', attempt: 2, sandbox: 'workspace-write' })
    await watched.decide('approved')
    await watched.turnEnded()
    expect(fake.prepared.map(({ network }) => network)).toEqual([false, true])
  })
})

describe('a blocked command under on-request', () => {
  it('is not asked about, and the model reads how to ask for more', async () => {
    await using place = testPlace()
    const model = scriptedModel({ calls }, { text: 'ok' })
    const { watched } = await begin(place, { model }, 'on-request')
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.events.some(({ event }) => event.type === 'approval.requested')).toBe(false)
    expect(watched.items()[1]).toMatchObject({ status: 'failed', sandboxBlock: block(place) })
    expect(model.requests[1]?.entries.at(-1)).toMatchObject({
      text: expect.stringContaining('call shell again with escalate: true and a reason'),
    })
    expect(existsSync(join(place.cwd, 'once'))).toBe(true)
  })
})
