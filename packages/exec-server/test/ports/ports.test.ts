import { text } from 'node:stream/consumers'
import { waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { noCeiling } from '../../src/sandbox/machine-ceiling.ts'
import type { ExecClient } from '../support/exec-client.ts'
import { type ExecPlaceOptions, execPlace } from '../support/in-process.ts'
import { type ServedPort, servedPort } from '../support/served-port.ts'
import { standInSandboxes } from '../support/stand-in-sandboxes.ts'

const named = { type: 'read-only', sharedLoopback: 'l' }
const base64 = (said: string) => Buffer.from(said).toString('base64')
const codeOf = ({ error }: Awaited<ReturnType<ExecClient['ask']>>) => error?.data?.['code']

/** An exec-server whose first loopback is `l`, in which the server listens on port 80. */
async function portPlace(server: ServedPort, options: ExecPlaceOptions = {}, fence: object = {}) {
  const connect = (loopback: number, port: number) =>
    loopback === 0 && port === 80 ? server.dial() : Promise.reject(new Error('nobody listens'))
  const place = execPlace({ sandboxes: standInSandboxes({ connect }), ...options })
  const client = place.connect()
  await client.greet({ clientName: 'test', ...fence })
  await client.run('in-l', ['true'], { sandbox: named })
  const dial = (connectionId: string, to: object = {}) =>
    client.ask('port/connect', { connectionId, sharedLoopback: 'l', port: 80, ...to })
  const read = async (afterByte: number, connectionId = 'c') => {
    const answer = await client.ask('port/read', { connectionId, afterByte, waitMs: 20_000 })
    return [Buffer.from(String(answer.result?.['chunk']), 'base64').toString(), answer.result?.['ended']]
  }
  const write = (afterByte: number, said: string, more: object = {}) =>
    client.ask('port/write', { connectionId: 'c', afterByte, chunk: base64(said), ...more })
  return { client, dial, read, write, place, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() }
}

describe('a connection to a port', () => {
  it('is made in loopbacks of the name that is given, in each of them, and nowhere else', async () => {
    using server = await servedPort()
    await using there = await portPlace(server)
    await there.client.run('wider', ['true'], { sandbox: { ...named, unixSockets: true } })
    await there.client.run('in-m', ['true'], { sandbox: { ...named, sharedLoopback: 'm' } })
    expect((await there.dial('a')).result).toEqual({})
    for (const to of [{ sharedLoopback: 'm' }, { sharedLoopback: 'nobody' }, { port: 81 }])
      expect(codeOf(await there.dial('b', to)), JSON.stringify(to)).toBe('portNotReachable')
    const other = await there.place.greeted()
    expect(codeOf(await other.ask('port/connect', { connectionId: 'a', sharedLoopback: 'l', port: 80 }))).toBe(
      'portNotReachable',
    )
    expect(codeOf(await other.ask('port/read', { connectionId: 'a', afterByte: 0 }))).toBe('unknownConnection')
    expect(server.callers.length).toBe(1)
  })

  it('is not made where the owner of the machine lets no port out, and its clients are told so before', async () => {
    using server = await servedPort()
    await using there = await portPlace(server, { ceiling: { ...noCeiling, ports: false } })
    expect((await there.client.ask('environment/info')).result).toMatchObject({ capabilities: { ports: false } })
    const { error } = await there.dial('a')
    expect(error).toMatchObject({
      code: -32600,
      data: { code: 'portsNotAllowed' },
      message: expect.stringContaining('--forward yes'),
    })
    expect(server.callers).toEqual([])
  })

  it('gives the same bytes until they have arrived, and takes each byte once', async () => {
    using server = await servedPort((caller) => caller.write('hello'))
    await using there = await portPlace(server)
    await Promise.all([there.dial('c'), there.dial('c')])
    expect(server.callers.length).toBe(1)
    expect([await there.read(0), await there.read(0), await there.read(2)]).toEqual([
      ['hello', false],
      ['hello', false],
      ['llo', false],
    ])
    for (const wrong of [0, 6])
      expect(codeOf(await there.client.ask('port/read', { connectionId: 'c', afterByte: wrong }))).toBe('invalidParams')
    expect((await there.write(0, 'abc')).result).toEqual({ writtenBytes: 3 })
    expect((await there.write(0, 'abcd')).result).toEqual({ writtenBytes: 4 })
    expect(codeOf(await there.write(5, 'f'))).toBe('invalidParams')
    expect((await there.write(4, 'e', { end: true })).result).toEqual({ writtenBytes: 5 })
    expect((await there.write(4, 'e', { end: true })).result).toEqual({ writtenBytes: 5 })
    const [caller] = server.callers
    expect(caller === undefined ? null : await text(caller)).toBe('abcde')
    caller?.end(' bye')
    expect((await there.read(5))[0]).toBe(' bye')
    expect(await there.read(9)).toEqual(['', true])
  })

  it('that the process has broken gives what came before, and then says so', async () => {
    using server = await servedPort((caller) => caller.write('hello'))
    await using there = await portPlace(server)
    await there.dial('c')
    expect(await there.read(0)).toEqual(['hello', false])
    const reading = there.client.ask('port/read', { connectionId: 'c', afterByte: 5, waitMs: 20_000 })
    server.callers[0]?.resetAndDestroy()
    expect(codeOf(await reading)).toBe('connectionLost')
    expect(codeOf(await there.write(0, 'x'))).toBe('connectionLost')
  })

  it('is not read faster than its client reads, nor written to faster than the process reads', async () => {
    let written = 0
    using server = await servedPort((caller) => {
      const chunk = Buffer.alloc(1_000_000)
      const fill = () => {
        while (written < 400 && caller.write(chunk)) written += 1
        caller.once('drain', fill)
      }
      fill()
    })
    await using there = await portPlace(server)
    await there.dial('c')
    await there.read(0)
    const much = 'x'.repeat(190_000)
    const until = async () => {
      for (let taken = 0; taken < 400; taken += 1) {
        const { result } = await there.write(taken * much.length, much, { waitMs: 0 })
        if (result?.['writtenBytes'] === taken * much.length) return taken
      }
      return 400
    }
    expect(await until()).toBeLessThan(400)
    for (let before = -1; before !== written; ) {
      before = written
      for (let turn = 0; turn < 10; turn += 1) await there.client.ask('environment/info')
    }
    expect(written).toBeLessThan(400)
  })

  it('is one of 128, and makes room for another when it is closed', async () => {
    using server = await servedPort()
    await using there = await portPlace(server)
    await Promise.all(Array.from({ length: 128 }, (_, number) => there.dial(`c-${number}`)))
    const { error } = await there.dial('one-more')
    expect(error).toMatchObject({ code: -32001, data: { code: 'tooManyConnections' } })
    expect((await there.client.ask('port/close', { connectionId: 'c-7' })).result).toEqual({ closed: true })
    expect((await there.client.ask('port/close', { connectionId: 'c-7' })).result).toEqual({ closed: false })
    expect((await there.dial('one-more')).error).toBeUndefined()
  })

  it('ends with its session', async () => {
    using server = await servedPort((caller) => caller.resume())
    await using there = await portPlace(server, { lingerMs: 0 })
    await there.dial('c')
    expect(server.callers[0]?.readableEnded).toBe(false)
    await there.client.leave()
    await waitUntil(() => server.callers[0]?.readableEnded, { what: 'the end of the connection' })
  })

  it('ends when the server of a later epoch takes its session, which can connect anew', async () => {
    using server = await servedPort((caller) => caller.resume())
    const at = (epoch: number) => ({ fence: { conversation: 'c-1', epoch } })
    await using there = await portPlace(server, {}, at(1))
    await there.dial('c')
    const next = there.place.connect()
    await next.greet({ clientName: 'next', ...at(2) })
    await waitUntil(() => server.callers[0]?.readableEnded, { what: 'the end of the connection' })
    expect(codeOf(await next.ask('port/read', { connectionId: 'c', afterByte: 0 }))).toBe('unknownConnection')
    const again = { connectionId: 'c', sharedLoopback: 'l', port: 80, ...at(2) }
    expect((await next.ask('port/connect', again)).result).toEqual({})
  })
})
