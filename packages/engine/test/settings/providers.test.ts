import { describe, expect, it } from 'vitest'
import { assertProvider, chooseProvider, keyVariables, providerOf } from '../../src/settings/model-sources.ts'

describe('the provider of a new conversation', () => {
  it.each<[string, Parameters<typeof chooseProvider>[0], Record<string, string>, object | null]>([
    ['is the one the configuration names', { model_provider: 'x', model: 'm' }, {}, { id: 'x', model: 'm' }],
    ['is OpenAI when its key is there', {}, { OPENAI_API_KEY: 'k' }, { id: 'openai' }],
    [
      'is a configured one whose key is there',
      {
        model_providers: {
          a: { base_url: 'http://a', env_key: 'A_KEY' },
          b: { base_url: 'http://b', env_key: 'B_KEY' },
        },
      },
      { B_KEY: 'k' },
      { id: 'b' },
    ],
    ['is a configured one that needs no key', { model_providers: { a: { base_url: 'http://a' } } }, {}, { id: 'a' }],
    ['is none without a key', {}, {}, null],
    ['is none when the key is empty', {}, { OPENAI_API_KEY: '' }, null],
  ])('%s', (_, config, env, expected) => {
    const chosen = chooseProvider(config, { env, kept: new Set() })
    if (expected === null) expect(chosen).toBeNull()
    else expect(chosen).toMatchObject(expected)
  })

  it('comes with a warning when nothing names its model', () => {
    const own = { model_providers: { mine: { base_url: 'http://a' } } }
    const warningOf = (config: Parameters<typeof chooseProvider>[0], env = {}) =>
      chooseProvider(config, { env, kept: new Set() })?.warning
    expect(warningOf(own)).toBe(
      'No model is named for mine, so requests ask for "default", which few servers know. Choose one with /model, or set model = "…" in config.toml.',
    )
    expect(warningOf({ ...own, model: 'm' })).toBeUndefined()
    expect(warningOf({}, { OPENAI_API_KEY: 'k' })).toBeUndefined()
    expect(warningOf({ model_provider: 'demo' })).toBeUndefined()
  })

  it('is looked for by the key variables of built-in and of configured providers', () => {
    expect(keyVariables({ model_providers: { a: { env_key: 'A_KEY' }, b: {} } })).toEqual([
      'OPENAI_API_KEY',
      'ANTHROPIC_API_KEY',
      'GEMINI_API_KEY',
      'OPENROUTER_API_KEY',
      'GROQ_API_KEY',
      'MISTRAL_API_KEY',
      'DEEPSEEK_API_KEY',
      'XAI_API_KEY',
      'A_KEY',
    ])
  })
})

describe('a configured provider', () => {
  const env = { HOME: '/home/me' }

  it('with a package needs no address', () => {
    const settings = { package: '@maker/fake', env_key: 'FAKE_KEY', factory: 'createFake' }
    expect(providerOf('mine', { model_providers: { mine: settings } }, env)).toMatchObject({
      wireApi: 'plugin',
      baseUrl: '',
      package: '@maker/fake',
      factory: 'createFake',
      envKey: 'FAKE_KEY',
    })
  })

  it('has its limits, and the network of the whole configuration', () => {
    const settings = { base_url: 'http://a', connect_timeout_ms: 1, request_timeout_ms: 2 }
    const network = { proxy: 'http://p:1', no_proxy: ['b'], ca_file: '~/ca.pem', system_ca: true }
    expect(providerOf('mine', { network, model_providers: { mine: settings } }, env)).toMatchObject({
      connectTimeoutMs: 1,
      requestTimeoutMs: 2,
      network: { proxy: 'http://p:1', noProxy: ['b'], caFile: '/home/me/ca.pem', systemCa: true },
    })
  })
})

describe('the provider whose models are asked for', () => {
  const config = { model_providers: { mine: { base_url: 'http://a' }, played: { wire_api: 'recorded' as const } } }

  it.each(['mine', 'played', 'openai', 'demo'])('may be %s', (id) => {
    expect(() => assertProvider(id, config, {})).not.toThrow()
  })

  it('is refused with the nearest one when there is none of this id', () => {
    expect(() => assertProvider('mien', config, {})).toThrow('There is no model provider "mien". Did you mean "mine"?')
  })
})
