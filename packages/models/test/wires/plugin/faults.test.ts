import { waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import type { ModelEvent } from '../../../src/port/model-client.ts'
import { collect, failureOf, requestOf } from '../../support/requests.ts'
import { packageWith, pluginWorld } from './plugin-world.ts'

const textOf = (events: readonly ModelEvent[]) =>
  events.flatMap((event) => (event.type === 'textDone' ? [event.text] : [])).join('')

describe('a package that is not well', () => {
  it.each([
    [
      'throws',
      `throw new TypeError('x is undefined')`,
      { code: 'providerError', retry: 'never' },
      /failed: x is undefined/,
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
    ['names the key', `throw new Error('bad key ' + settings.apiKey)`, { code: 'providerError' }, /bad key \[key\]/],
  ])('and %s is a failure that says so', async (_name, doStream, expected, words) => {
    await using world = pluginWorld()
    world.install('fake', packageWith(doStream))
    const client = world.client('fake', { envKey: 'FAKE_KEY' }, { FAKE_KEY: 'the-key-of-it' })
    const failure = failureOf(await collect(client))
    expect(failure).toMatchObject(expected)
    expect(failure.message).toMatch(words)
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
    world.install('fake', packageWith(`if (modelId === 'm1') for (;;) {} ; return said('here')`))
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
    await waitUntil(async () => (await pidNow()) !== first, { what: 'another process' })
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
