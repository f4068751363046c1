import { isAlive, waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import type { ModelEvent } from '../../../src/port/model-client.ts'
import { collect, failureOf, requestOf } from '../../support/requests.ts'
import { packageWith, pluginWorld } from './plugin-world.ts'

const textOf = (events: readonly ModelEvent[]) =>
  events.flatMap((event) => (event.type === 'textDone' ? [event.text] : [])).join('')

/** Lets nothing else run in its process, as an endless loop does, without its CPU. */
const blockForEver = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'

describe('a package that is not well', () => {
  it('and reads no requests is ended before they fill the memory', async () => {
    await using world = pluginWorld()
    world.install('fake', packageWith(blockForEver))
    const client = world.client('fake')
    const text = 'x'.repeat(24 * 1024 * 1024)
    const request = { ...requestOf(), entries: [{ kind: 'user' as const, content: [{ type: 'text' as const, text }] }] }
    const ended = await Promise.all([1, 2, 3, 4, 5].map(() => collect(client, request)))
    for (const events of ended) expect(failureOf(events).message).toMatch(/reads no requests/)
  })

  it.each([
    [
      'throws',
      `throw new TypeError('x is undefined')`,
      { code: 'providerError', retry: 'never' },
      /failed: x is undefined\. Another version/,
    ],
    ['ends its process', `process.exit(3)`, { code: 'providerError', retry: 'short' }, /ended with exit code 3/],
    ['ends without an end', `return { stream: streamOf([]) }`, { code: 'providerError', retry: 'short' }, /had no end/],
    [
      'is rate limited',
      `throw Object.assign(new Error('Slow.'), { statusCode: 429, responseHeaders: { 'retry-after': '2' } })`,
      { code: 'rateLimited', retry: 'short', retryAfterMs: 2000, status: 429 },
      /Slow\./,
    ],
    [
      'cannot reach its server',
      `throw new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code: 'ECONNREFUSED' }) })`,
      { code: 'unreachable', retry: 'short' },
      /nothing listens there/,
    ],
    [
      'sends an error in its stream',
      `return { stream: streamOf([{ type: 'error', error: { message: 'Busy', statusCode: 529 } }]) }`,
      { code: 'overloaded', retry: 'long' },
      /overloaded/,
    ],
    [
      'is refused its key',
      `throw Object.assign(new Error('No.'), { statusCode: 401 })`,
      { code: 'auth', retry: 'never' },
      /the key from FAKE_KEY/,
    ],
    [
      'has no address',
      `await fetch(settings.baseURL + '/chat/completions')`,
      { code: 'invalidRequest', retry: 'never' },
      /base_url of the provider/,
    ],
    [
      'names the value of a header',
      `throw new Error('bad ' + settings.headers['x-team'])`,
      { code: 'providerError' },
      /bad \[key\]/,
    ],
    [
      'gets a page in place of a stream',
      `return { stream: streamOf([finish]), response: { headers: { 'content-type': 'text/html; charset=utf-8' } } }`,
      { code: 'unexpectedReply', retry: 'never' },
      /answered with text\/html; charset=utf-8, which is not the answer of a model\. Check base_url\./,
    ],
    ['names the key', `throw new Error('bad key ' + settings.apiKey)`, { code: 'providerError' }, /bad key \[key\]/],
  ])('and %s is a failure that says so', async (_name, doStream, expected, words) => {
    await using world = pluginWorld()
    world.install('fake', packageWith(doStream))
    const client = world.client(
      'fake',
      { envKey: 'FAKE_KEY', envHeaders: { 'x-team': 'TEAM' } },
      { FAKE_KEY: 'the-key-of-it', TEAM: 'the-red-team' },
    )
    const failure = failureOf(await collect(client))
    expect(failure).toMatchObject(expected)
    expect(failure.message).toMatch(words)
  })

  it.each([
    ['breaks off, in version 4', `{ unified: 'interrupted' }`, 'streamCut', 'short'],
    ['breaks off, in version 3', `{ unified: 'other' }`, 'streamCut', 'short'],
    ['breaks off, in version 2', `'unknown'`, 'streamCut', 'short'],
    ['ends in an error', `{ unified: 'error', raw: 'MALFORMED_FUNCTION_CALL' }`, 'providerError', 'never'],
  ])('and whose stream %s has not answered', async (_what, reason, code, retry) => {
    await using world = pluginWorld()
    const parts = `[{ type: 'text-delta', id: '0', delta: 'half' }, { ...finish, finishReason: ${reason} }]`
    world.install('fake', packageWith(`return { stream: streamOf(${parts}) }`))
    expect(failureOf(await collect(world.client('fake')))).toMatchObject({ code, retry })
  })

  it('and stops for a reason of its own that its provider names has answered', async () => {
    await using world = pluginWorld()
    const parts = `[{ type: 'text-delta', id: '0', delta: 'all' }, { ...finish, finishReason: { unified: 'other', raw: 'own' } }]`
    world.install('fake', packageWith(`return { stream: streamOf(${parts}) }`))
    expect(textOf(await collect(world.client('fake')))).toBe('all')
  })

  it('and cannot be loaded says why, and is loaded anew at the next call', async () => {
    await using world = pluginWorld()
    world.install('fake', 'export const helper = 1')
    const client = world.client('fake')
    expect(failureOf(await collect(client)).message).toContain('it exports no create… function')
    world.install('fake', packageWith(`return said('mended')`))
    expect(textOf(await collect(client))).toBe('mended')
  })

  it('and hangs is given up after the idle time, and works again in a new process', async () => {
    await using world = pluginWorld()
    world.install('fake', packageWith(`if (modelId === 'm1') ${blockForEver}; return said('here')`))
    const client = world.client('fake', { streamIdleTimeoutMs: 1_500 })
    expect(failureOf(await collect(client))).toMatchObject({ code: 'idleTimeout', retry: 'short' })
    const answers = async () => textOf(await collect(client, requestOf([], { model: 'm2' }))) === 'here'
    expect(await waitUntil(answers, { what: 'an answer of a new process' })).toBe(true)
  })

  it('and does not stop when it is cancelled is killed', async () => {
    await using world = pluginWorld()
    world.install(
      'fake',
      packageWith(`
        if (modelId === 'm2') return said(String(process.pid))
        return { stream: new ReadableStream({ start(to) { to.enqueue({ type: 'text-delta', id: '0', delta: 'x' }) } }) }`),
    )
    const client = world.client('fake')
    const pidNow = async () => textOf(await collect(client, requestOf([], { model: 'm2' })))
    const first = await pidNow()
    const stop = new AbortController()
    const events: ModelEvent[] = []
    for await (const event of client.stream(requestOf(), stop.signal)) {
      events.push(event)
      stop.abort()
    }
    expect(events.at(-1)).toEqual({ type: 'aborted' })
    await waitUntil(() => !isAlive(Number(first)), { what: 'the end of the process' })
    expect(await pidNow()).not.toBe(first)
  })

  it.each([
    ['lines that are no messages', `writeSync(1, 'garbage {"id":\\n'.repeat(100))`],
    ['a line without end', `writeSync(1, '{"id":1,"type":"par')`],
    ['an unknown kind of message', `writeSync(1, '{"id":1,"type":"other"}\\n{"id":77,"type":"end"}\\n[]\\n')`],
  ])('and writes %s to its pipe does not disturb its answer', async (_what, writing) => {
    await using world = pluginWorld()
    world.install('fake', packageWith(`const { writeSync } = await import('node:fs'); ${writing}; return said('fine')`))
    expect(textOf(await collect(world.client('fake')))).toBe('fine')
  })

  it('and writes to its pipe without end is killed', async () => {
    await using world = pluginWorld()
    const writing = `const piece = 'x'.repeat(65_536); for (;;) try { writeSync(1, piece) } catch {}`
    world.install('fake', packageWith(`const { writeSync } = await import('node:fs'); ${writing}`))
    expect(failureOf(await collect(world.client('fake')))).toMatchObject({ code: 'providerError', retry: 'short' })
  })

  it('and sends more after the end of its answer adds nothing to the answer', async () => {
    await using world = pluginWorld()
    const late = `[{ type: 'text-delta', id: '0', delta: 'a' }, finish, { type: 'text-delta', id: '1', delta: 'late' }, finish]`
    world.install('fake', packageWith(`return { stream: streamOf(${late}) }`))
    const client = world.client('fake')
    for (const _ of [1, 2]) {
      const events = await collect(client)
      expect(textOf(events)).toBe('a')
      expect(events.filter(({ type }) => type === 'completed')).toHaveLength(1)
    }
  })

  it('and tries to start programs or to write files is denied', async () => {
    await using world = pluginWorld()
    const tries = `
      const { spawnSync } = await import('node:child_process')
      const { writeFileSync, readdirSync, symlinkSync } = await import('node:fs')
      const { Worker } = await import('node:worker_threads')
      const of = (act) => { try { return act() && 'done' } catch (error) { return error.code } }
      return said([
        of(() => spawnSync('/bin/true')), of(() => writeFileSync('x', '')), of(() => readdirSync('/')),
        of(() => symlinkSync('/', 'root')), of(() => new Worker('1', { eval: true })),
      ].join(' '))`
    world.install('fake', packageWith(tries))
    const denied = 'ERR_ACCESS_DENIED'
    expect(textOf(await collect(world.client('fake')))).toBe([denied, denied, denied, denied, denied].join(' '))
  })

  it('and is not installed says how to install it', async () => {
    await using world = pluginWorld()
    const failure = failureOf(await collect(world.client('@maker/none')))
    expect(failure).toMatchObject({ code: 'invalidRequest', retry: 'never' })
    expect(failure.message).toContain('parley provider add @maker/none')
  })

  it('and lacks its key says which variable', async () => {
    await using world = pluginWorld()
    world.install('fake', packageWith(`return said('never')`))
    const failure = failureOf(await collect(world.client('fake', { envKey: 'FAKE_KEY' })))
    expect(failure).toMatchObject({ code: 'noCredentials', retry: 'never' })
    expect(failure.message).toContain('FAKE_KEY')
  })
})
