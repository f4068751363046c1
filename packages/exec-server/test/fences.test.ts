import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Files, nodeFiles } from '@parley/journal'
import { tempDirectory, waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { openEpochs } from '../src/epochs.ts'
import { execPlace } from './support/in-process.ts'

const conversation = 'c-1'
const at = (epoch: number) => ({ conversation, epoch })
const greeting = (epoch: number) => ({ clientName: 'test', fence: at(epoch) })
const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('an epoch', () => {
  it('that is over begins nothing', async () => {
    await using place = execPlace()
    await using world = await tempDirectory()
    const path = join(world.path, 'a')
    writeFileSync(path, 'old')
    const other = await place.greeted()
    const owner = place.connect()
    await owner.greet(greeting(2))
    const fence = at(1)
    const requests: [string, object][] = [
      ['process/start', { processId: 'p', argv: ['touch', join(world.path, 'ran')], cwd: '/', env: {} }],
      ['process/write', { processId: 'p', chunk: base64('x') }],
      ['process/resize', { processId: 'p', size: { rows: 1, cols: 1 } }],
      ['process/signal', { processId: 'p', signal: 'kill' }],
      ['process/terminate', { processId: 'p' }],
      ['process/forget', { processId: 'p' }],
      ['fs/writeFile', { path, dataBase64: base64('new') }],
      ['fs/remove', { path }],
      ['fs/copy', { sourcePath: path, destinationPath: join(world.path, 'made') }],
      ['fs/createDirectory', { path: join(world.path, 'made') }],
      ['port/connect', { connectionId: 'c', sharedLoopback: 'l', port: 80 }],
      ['port/write', { connectionId: 'c', afterByte: 0, chunk: base64('x') }],
      ['port/close', { connectionId: 'c' }],
    ]
    for (const [method, params] of requests) {
      const { error } = await other.ask(method, { ...params, fence })
      expect(error, method).toMatchObject({
        code: -32600,
        data: { code: 'epochOver', conversation, epoch: 1, highest: 2 },
      })
    }
    expect((await place.connect().greet(greeting(1))).error).toMatchObject({ data: { code: 'epochOver' } })
    expect([
      readFileSync(path, 'utf8'),
      existsSync(join(world.path, 'made')),
      existsSync(join(world.path, 'ran')),
    ]).toEqual(['old', false, false])
    expect((await other.ask('fs/remove', { path, fence: at(2) })).result).toEqual({})
    expect((await other.ask('fs/remove', { path, force: true })).result).toEqual({})
  })

  it('is over in the next exec-server too, and that of another conversation is not', async () => {
    await using world = await tempDirectory()
    const folder = join(world.path, 'epochs')
    await openEpochs(nodeFiles, folder).enter(at(7))
    const next = openEpochs(nodeFiles, folder)
    await expect(next.enter(at(6))).rejects.toMatchObject({ data: { code: 'epochOver' } })
    expect(() => next.run(at(6), () => 'done')).toThrow('epoch 6 of conversation c-1 is over')
    expect(next.run(at(7), () => 'done')).toBe('done')
    expect(await next.run({ conversation: 'c-2', epoch: 1 }, () => 'done')).toBe('done')
  })

  it('begins once the effects of an earlier one have ended, and none of those begins any more', async () => {
    await using world = await tempDirectory()
    const epochs = openEpochs(nodeFiles, join(world.path, 'epochs'))
    await epochs.enter(at(1))
    const writing = Promise.withResolvers<string>()
    const written = epochs.run(at(1), () => writing.promise)
    let hasEntered = false
    const entered = epochs.enter(at(2)).then(() => {
      hasEntered = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    await expect(async () => epochs.run(at(1), () => 'late')).rejects.toMatchObject({ data: { code: 'epochOver' } })
    expect(hasEntered).toBe(false)
    writing.resolve('written')
    expect(await written).toBe('written')
    await entered
  })
})

describe('an epoch whose file', () => {
  it.each(['', 'x', '7x', '-1', 'Infinity'])(
    'has %j lets nothing begin, and it is said which file that is',
    async (text) => {
      await using world = await tempDirectory()
      const folder = join(world.path, 'epochs')
      await openEpochs(nodeFiles, folder).enter(at(7))
      const [file = ''] = readdirSync(folder).map((name) => join(folder, name))
      writeFileSync(file, text)
      const { run, enter } = openEpochs(nodeFiles, folder)
      for (const epoch of [3, 8]) {
        expect(() => run(at(epoch), () => 'done')).toThrow(
          `since ${file} cannot be read as a number, so nothing was done`,
        )
        await expect(enter(at(epoch))).rejects.toMatchObject({ data: { code: 'epochNotKnown' } })
      }
    },
  )

  it('is removed is known to the exec-server that has written it, which writes it again', async () => {
    await using world = await tempDirectory()
    const folder = join(world.path, 'epochs')
    const epochs = openEpochs(nodeFiles, folder)
    await epochs.enter(at(7))
    rmSync(folder, { recursive: true })
    expect(() => epochs.run(at(6), () => 'done')).toThrow('epoch 6 of conversation c-1 is over')
    expect(await epochs.run(at(7), () => 'done')).toBe('done')
    await expect(openEpochs(nodeFiles, folder).enter(at(6))).rejects.toMatchObject({ data: { code: 'epochOver' } })
  })

  it('cannot be written lets nothing begin, and it is said why', async () => {
    await using world = await tempDirectory()
    const folder = join(world.path, 'epochs')
    writeFileSync(folder, 'no folder')
    await expect(async () => openEpochs(nodeFiles, folder).run(at(1), () => 'done')).rejects.toMatchObject({
      message: expect.stringMatching(/^epoch 1 of conversation c-1 could not be kept .* nothing was done: .*ENOTDIR$/),
      data: { code: 'epochNotKept' },
    })
  })

  it('looks old, since the clock was set back, is not dropped by the exec-server that has written it', async () => {
    await using world = await tempDirectory()
    const folder = join(world.path, 'epochs')
    const others = Array.from({ length: 10_000 }, (_, nth) => `other-${nth}`)
    const files: Files = { ...nodeFiles, list: (path) => [...nodeFiles.list(path), ...others] }
    const epochs = openEpochs(files, folder)
    await epochs.enter(at(7))
    const [file = ''] = readdirSync(folder)
    utimesSync(join(folder, file), 0, 0)
    await epochs.enter({ conversation: 'c-2', epoch: 1 })
    expect(readdirSync(folder)).toContain(file)
  })
})

describe('a server that wakes late', () => {
  it('does not hold the next one up with changes that wait behind replies which it does not read', async () => {
    await using place = execPlace()
    await using world = await tempDirectory()
    const [large, path] = [join(world.path, 'large'), join(world.path, 'a')]
    writeFileSync(large, Buffer.alloc(4 * 1024 * 1024))
    const owner = place.connect()
    await owner.greet(greeting(1))
    owner.stopReading()
    const send = (id: string, method: string, params: object) =>
      owner.sendLine(JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, fence: at(1) } }))
    for (let nth = 0; nth < 8; nth++) send(`r${nth}`, 'fs/readFile', { path: large })
    send('w', 'fs/writeFile', { path, dataBase64: base64('written') })
    await waitUntil(() => existsSync(path), { what: 'the write' })
    expect((await place.connect().greet(greeting(2))).result).toMatchObject({ processes: [] })
    owner.readOn()
  })
})

describe('the session of a conversation', () => {
  it('keeps what has ended, however much it is, until it is told that the end is recorded', async () => {
    await using place = execPlace({ conversationLingerMs: 60_000 })
    const owner = place.connect()
    await owner.greet(greeting(1))
    const names = Array.from({ length: 20 }, (_, nth) => `p${nth}`)
    for (const name of names) await owner.run(name, ['head', '-c', '1500000', '/dev/zero'], { fence: at(1) })
    for (const name of names) {
      const { result } = await owner.ask('process/read', { processId: name, maxBytes: 1 })
      expect(result, name).toMatchObject({ gap: null, closed: true, exitCode: 0 })
    }
    expect((await owner.ask('process/forget', { processId: 'p0', fence: at(1) })).result).toEqual({ forgotten: true })
    expect((await owner.ask('process/read', { processId: 'p0' })).error?.data).toMatchObject({ code: 'unknownProcess' })
  })

  it('forgets what is being ended at its end, and nothing that runs', async () => {
    await using place = execPlace({ conversationLingerMs: 60_000 })
    const owner = place.connect()
    await owner.greet(greeting(1))
    await owner.start('a', ['sleep', '600'], { fence: at(1) })
    const forget = async () => (await owner.ask('process/forget', { processId: 'a', fence: at(1) })).result
    expect(await forget()).toEqual({ forgotten: false })
    await owner.ask('process/terminate', { processId: 'a', fence: at(1) })
    expect(await forget()).toEqual({ forgotten: true })
    await owner.untilTold('a', 'process/closed')
    expect((await owner.ask('process/read', { processId: 'a' })).error?.data).toMatchObject({ code: 'unknownProcess' })
  })

  it('goes to a later epoch with what runs in it, which is read from its first byte', async () => {
    await using place = execPlace({ conversationLingerMs: 60_000, lingerMs: 1 })
    const first = place.connect()
    const { result } = await first.greet(greeting(1))
    expect(result?.['processes']).toEqual([])
    await first.start('a', ['sh', '-c', 'echo one; read x; echo two'], { pipeStdin: true, fence: at(1) })
    await first.untilTold('a', 'process/output')

    const second = place.connect()
    const taken = await second.greet(greeting(2))
    expect(taken.result).toMatchObject({
      sessionId: result?.['sessionId'],
      processes: [{ processId: 'a', ageMs: expect.any(Number) }],
    })
    await first.closed()
    await second.ask('process/write', { processId: 'a', chunk: base64('\n'), closeStdin: true, fence: at(2) })
    await second.untilTold('a', 'process/closed')
    const read = await second.ask('process/read', { processId: 'a', afterSeq: 0 })
    expect(read.result).toMatchObject({ closed: true, exitCode: 0, gap: null })
    expect(textIn(read.result?.['chunks'])).toBe('one\ntwo\n')

    expect((await second.ask('process/forget', { processId: 'a', fence: at(2) })).result).toEqual({ forgotten: true })
    expect((await second.ask('process/forget', { processId: 'a', fence: at(2) })).result).toEqual({ forgotten: false })
    expect((await second.ask('process/read', { processId: 'a' })).error).toMatchObject({
      data: { code: 'unknownProcess' },
    })
  })

  it('lingers longer than that of a client, and then ends with all that runs in it', async () => {
    await using place = execPlace({ conversationLingerMs: 500, lingerMs: 1 })
    const first = place.connect()
    await first.greet(greeting(1))
    await first.start('a', ['sleep', '600'], { fence: at(1), env: { ...place.env, PATH: process.env['PATH'] } })
    await first.leave()
    const again = place.connect()
    expect((await again.greet(greeting(1))).result).toMatchObject({ processes: [{ processId: 'a' }] })
    await again.leave()
    await place.noDescendants()
    const last = place.connect()
    await waitUntil(async () => JSON.stringify((await last.greet(greeting(1))).result).includes('"processes":[]'), {
      what: 'another session',
    })
  })
})

function textIn(chunks: unknown): string {
  if (!Array.isArray(chunks)) return ''
  return Buffer.concat(chunks.map(({ chunk }) => Buffer.from(chunk, 'base64'))).toString()
}
