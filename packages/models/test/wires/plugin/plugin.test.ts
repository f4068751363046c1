import { join } from 'node:path'
import { smallPng } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import type { ModelEvent } from '../../../src/port/model-client.ts'
import { collect, failureOf, requestOf, user } from '../../support/requests.ts'
import { packageWith, pluginWorld } from './plugin-world.ts'

const picture = smallPng.toString('base64')

const textOf = (events: readonly ModelEvent[]) =>
  events.flatMap((event) => (event.type === 'textDone' ? [event.text] : [])).join('')

describe('a package of a provider', () => {
  it.each([
    ['bytes', `new Uint8Array(Buffer.from('${picture}', 'base64'))`],
    ['base64', `'${picture}'`],
    ['a wrapped value', `{ type: 'data', data: '${picture}' }`],
  ])('makes a picture, given as %s, in whose place a line goes back', async (_form, data) => {
    await using world = pluginWorld()
    const part = `{ type: 'file', mediaType: 'image/png', data: ${data}, providerMetadata: { maker: { signature: 's' } } }`
    world.install('@maker/fake', packageWith(`return { stream: streamOf([${part}, finish]) }`))
    const events = await collect(world.client('@maker/fake'))
    expect(events).toMatchObject([
      { type: 'picture', mediaType: 'image/png', base64: picture },
      {
        type: 'completed',
        parts: [
          {
            type: 'text',
            text: '[Picture made here: image/png, 1 KiB]',
            providerOptions: { maker: { signature: 's' } },
          },
        ],
      },
    ])
  })

  it('answers with text, reasoning, calls and counts, whose parts go back as they came', async () => {
    await using world = pluginWorld()
    world.install(
      '@maker/fake',
      packageWith(`
        if (options.prompt.length > 2) return said(JSON.stringify(options.prompt.slice(2)))
        return { stream: streamOf([
          { type: 'stream-start', warnings: [] },
          { type: 'reasoning-start', id: '0' }, { type: 'reasoning-delta', id: '0', delta: 'Hm.' },
          { type: 'reasoning-end', id: '0', providerMetadata: { maker: { signature: 'sig' } } },
          { type: 'text-start', id: '0' }, { type: 'text-delta', id: '0', delta: 'Let me ' },
          { type: 'text-delta', id: '0', delta: 'look.' }, { type: 'text-end', id: '0' },
          { type: 'tool-input-start', id: 'c1', toolName: 'shell' },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'shell', input: '{"command":"ls"}' },
          { type: 'finish', finishReason: { unified: 'tool-calls' },
            usage: { inputTokens: { total: 9, cacheRead: 4 }, outputTokens: { total: 5, reasoning: 2 } } },
        ]) }`),
    )
    const client = world.client('@maker/fake')
    const events = await collect(client)
    expect(events.filter(({ type }) => type.endsWith('Done') || type === 'call')).toEqual([
      { type: 'reasoningDone', part: 'reasoning-0', text: 'Hm.' },
      { type: 'textDone', part: 'text-0', text: 'Let me look.' },
      { type: 'call', part: 'call-c1', callId: 'c1', name: 'shell', arguments: '{"command":"ls"}' },
    ])
    const end = events.at(-1)
    expect(end).toMatchObject({
      type: 'completed',
      stop: 'stop',
      usage: { inputTokens: 9, cachedInputTokens: 4, outputTokens: 5, reasoningTokens: 2 },
    })
    if (end?.type !== 'completed') return
    const calls = [{ callId: 'c1', name: 'shell', arguments: '{"command":"ls"}' }]
    const response = {
      kind: 'response',
      adapter: client.adapter,
      parts: end.parts,
      text: 'Let me look.',
      calls,
    } as const
    const result = { kind: 'result', callId: 'c1', text: 'a.txt', isError: false } as const
    const next = await collect(client, requestOf([user('hello'), response, result]))
    expect(JSON.parse(textOf(next))).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm.', providerOptions: { maker: { signature: 'sig' } } },
          { type: 'text', text: 'Let me look.' },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'shell', input: { command: 'ls' } },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'c1', toolName: 'shell', output: { type: 'text', value: 'a.txt' } },
        ],
      },
    ])
  })

  it('of version 2 of the interface is understood, too', async () => {
    await using world = pluginWorld()
    const finish = `{ type: 'finish', finishReason: 'length', usage: { inputTokens: 7, cachedInputTokens: 1, outputTokens: 3 } }`
    const parts = `[{ type: 'text-delta', id: '0', delta: 'cut' }, ${finish}]`
    world.install('fake', packageWith(`return { stream: streamOf(${parts}) }`, 'v2'))
    const events = await collect(world.client('fake'))
    expect(textOf(events)).toBe('cut')
    const usage = { inputTokens: 7, cachedInputTokens: 1, outputTokens: 3 }
    expect(events.at(-1)).toMatchObject({ stop: 'length', usage })
  })

  it('gets its own key and the proxy variables, and no other variable or file of the user', async () => {
    await using world = pluginWorld()
    world.install(
      'fake',
      packageWith(`
        const { readFileSync } = await import('node:fs')
        let file = 'read'
        try { readFileSync('${join(import.meta.dirname, 'plugin-world.ts')}', 'utf8') } catch (error) { file = error.code }
        const { apiKey, headers } = settings
        return said(JSON.stringify({ names: Object.keys(process.env).sort(), file, apiKey, headers }))`),
    )
    const env = {
      FAKE_KEY: 'the-key-of-it',
      OTHER_KEY: 'other',
      PARLEY_HOME: '/home/me/.parley',
      HTTPS_PROXY: 'http://p:1',
    }
    const more = { envKey: 'FAKE_KEY', envHeaders: { 'x-team': 'TEAM' } }
    const said = JSON.parse(textOf(await collect(world.client('fake', more, { ...env, TEAM: 'red' }))))
    expect(said).toMatchObject({ file: 'ERR_ACCESS_DENIED', apiKey: 'the-key-of-it', headers: { 'x-team': 'red' } })
    expect(said.names.filter((name: string) => !name.startsWith('PARLEY_MARK') && name !== 'PARLEY_PROCESS')).toEqual([
      'FAKE_KEY',
      'HTTPS_PROXY',
      'NODE_USE_ENV_PROXY',
      'NO_PROXY',
    ])
  })

  it('is started anew with the key of a new login, while a running call keeps its process', async () => {
    await using world = pluginWorld()
    world.install(
      'fake',
      packageWith(`
        if (modelId !== 'slow') return said(settings.apiKey + ' ' + process.pid)
        const step = Promise.withResolvers()
        setTimeout(step.resolve, 300)
        const rest = step.promise.then(() => [{ type: 'text-delta', id: '0', delta: settings.apiKey }, finish])
        return { stream: streamOf((async function* () { yield { type: 'text-delta', id: '0', delta: 'by ' }; yield* await rest })()) }`),
    )
    let key = 'first-key'
    const client = world.client('fake', { envKey: 'FAKE_KEY' }, {}, () => key)
    const slow = client.stream(requestOf([], { model: 'slow' }), new AbortController().signal)
    const events: ModelEvent[] = []
    const begun = await slow[Symbol.asyncIterator]().next()
    key = 'second-key'
    const second = textOf(await collect(client))
    expect(second).toMatch(/^second-key /)
    expect(textOf(await collect(client))).toBe(second)
    if (begun.done !== true) events.push(begun.value)
    for await (const event of slow) events.push(event)
    expect(textOf(events)).toBe('by first-key')
  })

  it('is started anew after it was installed again', async () => {
    await using world = pluginWorld()
    world.install('fake', packageWith(`return said('old')`))
    const client = world.client('fake')
    expect(textOf(await collect(client))).toBe('old')
    world.remove('fake')
    expect(failureOf(await collect(client)).message).toContain('is not installed')
    world.install('fake', packageWith(`return said('new')`))
    expect(textOf(await collect(client))).toBe('new')
  })

  it('runs in a Node where SIGUSR1 opens no debugger', async () => {
    await using world = pluginWorld()
    world.install('fake', packageWith(`return said(process.execArgv.join(' '))`))
    expect(textOf(await collect(world.client('fake')))).toMatch(/^--disable-sigusr1 --permission /)
  })

  it('may print without harm', async () => {
    await using world = pluginWorld()
    world.install('fake', packageWith(`console.log('{"id":1,"type":"end"}'); return said('fine')`))
    expect(textOf(await collect(world.client('fake')))).toBe('fine')
  })
})
