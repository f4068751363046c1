import { describe, expect, it } from 'vitest'
import { builtinProviders } from '../src/providers.ts'
import { createModelClient, probeLocal } from '../src/registry.ts'
import { refusalOf, startLoopback, streamOf } from './support/loopback.ts'
import { fixture } from './support/read-body.ts'
import { collect, failureOf, providerAt } from './support/requests.ts'

const KEY = 'sk-secret-0123456789'
const signal = () => new AbortController().signal

describe('a provider with a key', () => {
  it('sends it as a bearer token, without the line break it was copied with', async () => {
    await using server = await startLoopback(streamOf(fixture('responses-answer')))
    const provider = providerAt(server.baseUrl, { envKey: 'TEST_KEY' })
    await collect(createModelClient(provider, { env: { TEST_KEY: `${KEY}\n` } }))
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
  })

  it.each([{}, { TEST_KEY: '' }, { TEST_KEY: ' ' }])(
    'fails without sending anything when it is missing',
    async (env) => {
      await using server = await startLoopback()
      const failure = failureOf(
        await collect(createModelClient(providerAt(server.baseUrl, { envKey: 'TEST_KEY' }), { env })),
      )
      expect(failure).toMatchObject({ code: 'noCredentials', retry: 'never' })
      expect(failure.message).toContain('TEST_KEY')
      expect(server.connected()).toBe(0)
    },
  )

  it('with a line break in it names the variable, shows no key and sends nothing', async () => {
    await using server = await startLoopback()
    const provider = providerAt(server.baseUrl, { envKey: 'TEST_KEY' })
    const failure = failureOf(await collect(createModelClient(provider, { env: { TEST_KEY: `${KEY}\n${KEY}` } })))
    expect(failure).toMatchObject({ code: 'noCredentials', retry: 'never' })
    expect(failure.message).toMatch(/its key in TEST_KEY has a line break/)
    expect(failure.message).not.toContain(KEY)
    expect(server.connected()).toBe(0)
  })

  it('that is refused names the variable and never shows the key', async () => {
    await using server = await startLoopback(refusalOf(401, { error: { message: `Incorrect API key: ${KEY}` } }))
    const provider = providerAt(server.baseUrl, { envKey: 'TEST_KEY' })
    const failure = failureOf(await collect(createModelClient(provider, { env: { TEST_KEY: KEY } })))
    expect(failure).toMatchObject({ code: 'auth', retry: 'never', status: 401 })
    expect(failure.message).toContain('TEST_KEY')
    expect(failure.message).not.toContain(KEY)
  })
})

describe('a provider', () => {
  it('sends its own headers, those from variables, and lets them replace ours', async () => {
    await using server = await startLoopback(streamOf(fixture('responses-answer')))
    const provider = providerAt(server.baseUrl, {
      headers: { 'X-Team': 'red', 'User-Agent': 'mine' },
      envHeaders: { 'api-key': 'GATEWAY_KEY', 'x-unset': 'NOT_SET' },
    })
    await collect(createModelClient(provider, { env: { GATEWAY_KEY: 'gateway-secret' } }))
    const { headers } = server.requests[0] ?? {}
    expect(headers).toMatchObject({ 'x-team': 'red', 'user-agent': 'mine', 'api-key': 'gateway-secret' })
    expect(headers).not.toHaveProperty('x-unset')
    expect(headers).not.toHaveProperty('authorization')
  })

  it.each(['', 'api.example.com/v1', 'ftp://example.com'])(
    'with the base URL "%s" fails and says so',
    async (baseUrl) => {
      const failure = failureOf(await collect(createModelClient(providerAt(baseUrl), { env: {} })))
      expect(failure).toMatchObject({ code: 'badBaseUrl', retry: 'never' })
    },
  )

  it('lists its models', async () => {
    await using server = await startLoopback(refusalOf(200, { data: [{ id: 'a' }, { id: 'b' }, {}] }))
    const client = createModelClient(providerAt(server.baseUrl), { env: {} })
    expect(await client.listModels(signal())).toEqual({ type: 'models', models: ['a', 'b'] })
    expect(server.requests[0]?.url).toBe('/v1/models')
  })

  it('that cannot list its models says why', async () => {
    await using server = await startLoopback(refusalOf(404, 'nothing here'))
    const client = createModelClient(providerAt(server.baseUrl), { env: {} })
    expect(await client.listModels(signal())).toMatchObject({ type: 'failed', failure: { code: 'notFound' } })
    expect(await client.listModels(AbortSignal.abort())).toEqual({ type: 'aborted' })
  })

  it('on loopback is asked directly, whatever proxy is set', async () => {
    await using server = await startLoopback(streamOf(fixture('responses-answer')))
    const env = { HTTP_PROXY: 'http://127.0.0.1:9', http_proxy: 'http://127.0.0.1:9' }
    expect((await collect(createModelClient(providerAt(server.baseUrl), { env }))).at(-1)?.type).toBe('completed')
  })

  it('elsewhere is asked through the proxy', async () => {
    await using proxy = await startLoopback(streamOf(fixture('responses-answer')))
    const env = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` }
    const client = createModelClient(providerAt('http://models.invalid/v1'), { env })
    expect((await collect(client)).at(-1)?.type).toBe('completed')
    expect(proxy.requests[0]?.url).toBe('http://models.invalid/v1/responses')
  })

  it('is part of the adapter name, so that no other provider gets its encrypted parts', () => {
    const nameOf = (id: string) => createModelClient(providerAt('http://x/v1', { id }), { env: {} }).adapter
    expect([nameOf('a'), nameOf('b')]).toEqual(['responses/1:a', 'responses/1:b'])
  })
})

describe('the built-in providers', () => {
  it('are those of the keyed providers, then the local servers on their usual ports', () => {
    expect(builtinProviders({}).map(({ id, baseUrl }) => [id, baseUrl])).toEqual([
      ['openai', 'https://api.openai.com/v1'],
      ['anthropic', 'https://api.anthropic.com/v1'],
      ['google', 'https://generativelanguage.googleapis.com/v1beta'],
      ['openrouter', 'https://openrouter.ai/api/v1'],
      ['groq', 'https://api.groq.com/openai/v1'],
      ['mistral', 'https://api.mistral.ai/v1'],
      ['deepseek', 'https://api.deepseek.com/v1'],
      ['xai', 'https://api.x.ai/v1'],
      ['ollama', 'http://127.0.0.1:11434/v1'],
      ['lmstudio', 'http://127.0.0.1:1234/v1'],
      ['llamacpp', 'http://127.0.0.1:8080/v1'],
      ['vllm', 'http://127.0.0.1:8000/v1'],
    ])
  })

  it.each([
    ['openai', { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' }, 'http://127.0.0.1:1/v1'],
    ['openai', { OPENAI_BASE_URL: '' }, 'https://api.openai.com/v1'],
    ['anthropic', { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1/' }, 'http://127.0.0.1:1/v1'],
    ['anthropic', { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1/v1' }, 'http://127.0.0.1:1/v1'],
    ['google', { GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:1' }, 'http://127.0.0.1:1/v1beta'],
  ])('take the base URL of %s from %o', (provider, env, expected) => {
    expect(builtinProviders(env).find(({ id }) => id === provider)?.baseUrl).toBe(expected)
  })

  it('name a model wherever a key is enough', () => {
    const keyed = builtinProviders({}).filter(({ envKey }) => envKey !== undefined)
    expect(keyed.length).toBeGreaterThan(5)
    for (const { defaultModel } of keyed) expect(defaultModel).toBeTruthy()
  })
})

describe('the local servers', () => {
  it('are those that answer with models; silent, strange and missing ones are left out', async () => {
    await using good = await startLoopback(refusalOf(200, { data: [{ id: 'llama' }] }))
    await using silent = await startLoopback(() => {})
    await using strange = await startLoopback(refusalOf(200, '<html>'))
    const missing = await startLoopback()
    await missing[Symbol.asyncDispose]()
    const candidates = [silent, missing, good, strange].map(({ baseUrl }) => providerAt(baseUrl))
    const found = await probeLocal(new AbortController().signal, { candidates, timeoutMs: 1_000 })
    expect(found).toEqual([{ provider: providerAt(good.baseUrl), models: ['llama'] }])
  })

  it('are none after an abort', async () => {
    await using good = await startLoopback(refusalOf(200, { data: [{ id: 'llama' }] }))
    expect(await probeLocal(AbortSignal.abort(), { candidates: [providerAt(good.baseUrl)] })).toEqual([])
  })
})
