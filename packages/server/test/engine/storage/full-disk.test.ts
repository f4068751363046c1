import { constants } from 'node:os'
import { countingHost } from '@parley/engine/test/support/counting-host.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { testClock } from '@parley/engine/test/support/test-clock.ts'
import { checkLine, type Files, nodeFiles, StorageError, storageError } from '@parley/journal'
import { faultyFiles, type Operation } from '@parley/journal/testing'
import { describe, expect, it } from 'vitest'
import { type TestPlace, testPlace } from '../support/test-server.ts'

/** A disk on which writing fails while `full` is set; every write before that leaves half a line first. */
function fillableDisk() {
  const disk = { full: false, halves: 0 }
  const decide = (operation: Operation) => {
    if (!disk.full || operation !== 'write') return null
    return disk.halves++ % 2 === 0 ? 'short' : 'ENOSPC'
  }
  return { disk, files: faultyFiles(decide).files }
}

function expectWhole(place: TestPlace, conversationId: string, shown: readonly number[]): void {
  const lines = place.logLines(conversationId).slice(1)
  expect(lines.map((line) => checkLine(Buffer.from(line)).state)).toEqual(lines.map(() => 'sound'))
  expect(lines.map((line) => JSON.parse(line).seq)).toEqual(shown)
}

const free = { sandbox: 'danger-full-access' } as const

describe('a full disk', () => {
  it('rejects a message, which can be sent again when there is room', async () => {
    await using place = testPlace()
    const { disk, files } = fillableDisk()
    const { client, watched } = await place.talk({ files })
    const { conversationId } = watched
    disk.full = true
    const params = { conversationId, input: [{ type: 'text' as const, text: 'hi' }], messageId: 'm1' }
    expect(await client.refused('conversation/sendMessage', params)).toMatchObject({
      number: -32009,
      code: 'storageFailed',
      message: expect.stringContaining('The disk is full.'),
      detail: { errno: 'ENOSPC' },
    })
    disk.full = false
    await client.request('conversation/sendMessage', params)
    await watched.turnEnded()
    expectWhole(
      place,
      conversationId,
      watched.events.map(({ seq }) => seq),
    )
  })

  it('pauses the turn with one notice during an answer, and the answer comes anew when there is room', async () => {
    await using place = testPlace()
    const { disk, files } = fillableDisk()
    const clock = testClock()
    clock.holdSleeps()
    const gate = Promise.withResolvers<void>()
    const model = scriptedModel({ text: 'Half of', gate: gate.promise }, { text: 'The whole of it.' })
    const { client, watched } = await place.talk({ files, clock, model })
    await watched.send('hi')
    await watched.until(({ core }) => Object.values(core.open).find(({ item }) => item.text === 'Half of'))
    disk.full = true
    gate.resolve()
    const notice = await client.notice(({ code }) => code === 'storageFailed')
    expect(notice).toMatchObject({
      level: 'error',
      conversationId: watched.conversationId,
      errno: 'ENOSPC',
      message: expect.stringMatching(/The disk is full\. Nothing shown was lost\.$/),
    })
    clock.release()
    await new Promise((resolve) => setImmediate(resolve))
    disk.full = false
    const resumed = watched.turnEnded()
    while (clock.sleeps.length < 2) await new Promise((resolve) => setImmediate(resolve))
    clock.release()
    await resumed
    expect(client.notices.map(({ code }) => code)).toEqual(['storageFailed', 'storageRestored'])
    expect(watched.story().slice(4)).toMatchInlineSnapshot(`
      [
        "model.requested 1",
        "item.started agentMessage inProgress",
        "item.discarded",
        "model.requested 1",
        "item.started agentMessage inProgress",
        "item.completed agentMessage completed",
        "usage.updated",
        "model.responded",
        "turn.ended completed",
      ]
    `)
    expectWhole(
      place,
      watched.conversationId,
      watched.events.map(({ seq }) => seq),
    )
  })

  it('keeps the result of a command in memory until it can be saved, and runs the command once', async () => {
    await using place = testPlace()
    const { disk, files } = fillableDisk()
    const { host, started } = countingHost()
    const clock = testClock()
    clock.holdSleeps()
    const model = scriptedModel(
      { calls: [{ name: 'shell', args: { command: 'echo started; read line < fifo; echo $line' } }] },
      { text: 'ok' },
    )
    const { client, watched } = await place.talk({ files, host, clock, model }, free)
    const { execFileSync } = await import('node:child_process')
    execFileSync('mkfifo', ['fifo'], { cwd: place.cwd })
    await watched.send('go')
    await watched.until(({ core }) => Object.values(core.open).find(({ output }) => output === 'started\n'))
    disk.full = true
    place.write('fifo', 'end\n')
    await client.notice(({ code }) => code === 'storageFailed')
    disk.full = false
    clock.release()
    await watched.turnEnded()
    expect(started).toHaveLength(1)
    expect(watched.items()[1]).toMatchObject({ status: 'completed', output: { head: 'started\nend\n' } })
    expectWhole(
      place,
      watched.conversationId,
      watched.events.map(({ seq }) => seq),
    )
  })

  it('allows a close: unsaved events are not shown, and nothing hangs', async () => {
    await using place = testPlace()
    const { disk, files } = fillableDisk()
    const gate = Promise.withResolvers<void>()
    const { client, watched, server } = await place.talk({
      files,
      model: scriptedModel({ text: 'x', gate: gate.promise }),
    })
    await watched.send('hi')
    await watched.until(({ core }) => core.turn?.phase === 'model')
    disk.full = true
    gate.resolve()
    await client.notice(({ code }) => code === 'storageFailed')
    await expect(server.close()).rejects.toThrow('ENOSPC')
    expectWhole(
      place,
      watched.conversationId,
      watched.events.map(({ seq }) => seq),
    )
    const later = await place.start().connect()
    expect(await later.request('conversation/resume', { conversationId: watched.conversationId })).toMatchObject({
      activity: 'idle',
      recovered: expect.stringContaining('Recovered'),
    })
  })
})

describe('an exhausted quota', () => {
  /** As Node throws it: its own table has no name for this errno. */
  const exceeded = () =>
    Object.assign(new Error('UNKNOWN: unknown error, write'), { code: 'UNKNOWN', errno: -constants.errno.EDQUOT })

  it('pauses the turn, which continues when there is room', async () => {
    await using place = testPlace()
    const quota = { isUsedUp: false }
    const files: Files = {
      ...nodeFiles,
      write(file, bytes) {
        if (quota.isUsedUp) throw storageError('write', file.path, exceeded())
        return nodeFiles.write(file, bytes)
      },
    }
    const clock = testClock()
    clock.holdSleeps()
    const gate = Promise.withResolvers<void>()
    const model = scriptedModel({ text: 'Half of', gate: gate.promise }, { text: 'The whole of it.' })
    const { client, watched } = await place.talk({ files, clock, model })
    const { conversationId } = watched
    await watched.send('hi')
    await watched.until(({ core }) => Object.values(core.open).find(({ item }) => item.text === 'Half of'))
    quota.isUsedUp = true
    gate.resolve()
    const notice = await client.notice(({ code }) => code === 'storageFailed')
    expect(notice.message).toContain('The disk quota is used up.')
    quota.isUsedUp = false
    clock.release()
    await watched.turnEnded()
    expect(watched.items().at(-1)).toMatchObject({ text: 'The whole of it.' })
    quota.isUsedUp = true
    const input = [{ type: 'text' as const, text: 'more' }]
    const refused = await client.refused('conversation/sendMessage', { conversationId, input })
    expect(refused).toMatchObject({ code: 'storageFailed', detail: { errno: 'EDQUOT' } })
    quota.isUsedUp = false
    await watched.send('more')
    await watched.turnEnded()
  })
})

describe('an output that cannot be stored whole', () => {
  it('loses its middle and not the result of its command', async () => {
    await using place = testPlace()
    const fails = (path: string) => path.includes('spool-')
    const files: Files = {
      ...nodeFiles,
      open(path, access) {
        if (fails(path)) throw new StorageError({ code: 'ENOSPC', operation: 'open', path })
        return nodeFiles.open(path, access)
      },
    }
    const model = scriptedModel({ calls: [{ name: 'shell', args: { command: 'seq 1 9999' } }] }, { text: 'ok' })
    const { watched } = await place.talk({ files, model }, free)
    await watched.send('go')
    await watched.turnEnded()
    const item = watched.items()[1]
    expect(item).toMatchObject({ status: 'completed', output: { totalBytes: 48_888 } })
    expect(item?.type === 'commandExecution' && item.output?.file).toBeUndefined()
  })
})
