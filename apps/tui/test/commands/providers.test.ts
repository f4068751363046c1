import { describe, expect, test } from 'vitest'
import { modelLines, providerLines } from '../../src/commands/providers.ts'

type Provider = Parameters<typeof providerLines>[0]['providers'][number]

const openai: Provider = {
  id: 'openai',
  name: 'OpenAI',
  wire: 'responses',
  baseUrl: 'https://api.example/v1',
  origin: 'builtIn',
  variables: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
  key: 'set',
  keyFrom: 'CODEX_API_KEY',
  chosen: true,
  models: 7,
  listedAt: 0,
}
const groq: Provider = { ...openai, id: 'groq', name: 'Groq', wire: 'chat', variables: ['GROQ_API_KEY'], chosen: false }
const { models: _models, listedAt: _listedAt, keyFrom: _keyFrom, ...bare } = groq

describe('the table of providers', () => {
  test('marks the chosen one and says why', () => {
    const chosen = { provider: 'openai', model: 'gpt-5', because: 'CODEX_API_KEY is the first key that is set' }
    expect(providerLines({ providers: [openai, { ...bare, key: 'missing' }], chosen }, 7_200_000)).toEqual([
      '   ID      NAME    WIRE       ADDRESS                 KEY                      MODELS',
      '*  openai  OpenAI  responses  https://api.example/v1  CODEX_API_KEY is set     7, listed 2 h ago',
      '   groq    Groq    chat       https://api.example/v1  GROQ_API_KEY is not set',
      '',
      '* A new conversation uses openai with gpt-5, because CODEX_API_KEY is the first key that is set.',
    ])
  })

  test('says how to install the package that a provider lacks', () => {
    const lacking = { ...bare, id: 'cohere', package: { name: '@ai-sdk/cohere', installed: false } }
    const there = { ...bare, id: 'other', package: { name: 'other', installed: true } }
    expect(providerLines({ providers: [lacking, there], chosen: null }, 0).slice(-2, -1)).toEqual([
      'cohere cannot be used: its package @ai-sdk/cohere is not installed. `parley provider add @ai-sdk/cohere` installs it.',
    ])
  })

  test('says what to do where none is chosen', () => {
    expect(providerLines({ providers: [], chosen: null }, 0).at(-1)).toContain('set one of these keys')
  })
})

describe('the table of models', () => {
  const model = (provider: string, id: string, current = false) => ({ provider, id, current })

  test('marks the default, adds local servers and says how old a kept list is', () => {
    const listed = {
      models: [model('openai', 'gpt-5', true), model('ollama', 'qwen3')],
      problems: [],
      local: [{ provider: 'ollama', name: 'Ollama', baseUrl: '', models: ['qwen3', 'llama4'] }],
      lists: [
        { provider: 'openai', listedAt: 0 },
        { provider: 'ollama', listedAt: 7_190_000 },
      ],
    }
    expect(modelLines(listed, 7_200_000)).toEqual([
      '   PROVIDER  MODEL',
      '*  openai    gpt-5',
      '   ollama    qwen3',
      '   ollama    llama4',
      '',
      'openai was asked 2 h ago.',
    ])
  })

  test('says that there is none', () => {
    expect(modelLines({ models: [], problems: [], local: [] }, 0)).toEqual(['No models are listed.'])
  })
})
