import { describe, expect, test } from 'vitest'
import { providerLines } from '../../src/commands/providers.ts'

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

  test('says what to do where none is chosen', () => {
    expect(providerLines({ providers: [], chosen: null }, 0).at(-1)).toContain('set one of these keys')
  })
})
