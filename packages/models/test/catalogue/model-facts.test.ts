import { describe, expect, it } from 'vitest'
import { catalogue } from '../../src/catalogue/catalogue.ts'
import { costOf, modelFacts } from '../../src/catalogue/model-facts.ts'
import { builtinProviders, type ProviderConfig } from '../../src/providers.ts'

const provider = (id: string): ProviderConfig => {
  const found = builtinProviders({}).find((known) => known.id === id)
  if (found === undefined) throw new Error(id)
  return found
}

const facts = (id: string, model: string) => modelFacts(provider(id), model)
const dollars = (inputTokens: number, more: object = {}) => ({
  inputTokens,
  cachedInputTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  ...more,
})

describe('the catalogue', () => {
  it('has the window, limits, price, images and tools of a model', () => {
    expect(facts('anthropic', 'claude-sonnet-5')).toEqual({
      contextWindow: 1_000_000,
      outputLimit: 128_000,
      price: { input: 2, cachedInput: 0.2, cacheWrite: 2.5, output: 10 },
      images: true,
      reasoning: true,
      toolShape: 'edit',
    })
    expect(facts('openai', 'gpt-5')).toMatchObject({ contextWindow: 272_000, toolShape: 'freeformPatch' })
  })

  it.each([
    ['openai', 'gpt-5-2025-08-07', 'gpt-5'],
    ['openai', 'gpt-5-mini-2025-08-07', 'gpt-5-mini'],
    ['anthropic', 'claude-opus-4-5-20251101', 'claude-opus-4-5'],
    ['anthropic', 'claude-3-7-sonnet-latest', 'claude-3-7-sonnet'],
    ['google', 'gemini-2.5-flash-preview-09-2025', 'gemini-2.5-flash'],
  ])('takes %s %s for %s', (id, dated, name) => {
    expect(facts(id, dated)).toEqual(facts(id, name))
  })

  it('does not take a newer or smaller model for its relative', () => {
    expect(facts('openai', 'gpt-5.9')).toMatchObject({
      price: null,
      toolShape: 'freeformPatch',
      contextWindow: 272_000,
    })
    expect(facts('openai', 'gpt-5-tiny').price).toBeNull()
    expect(facts('anthropic', 'claude-opus-9')).toMatchObject({ price: null, contextWindow: 200_000, images: true })
  })

  it('knows the model behind the name of a gateway, but not its price there', () => {
    expect(facts('openrouter', 'anthropic/claude-sonnet-4.5:beta')).toEqual({
      ...facts('anthropic', 'claude-sonnet-4-5'),
      price: null,
    })
  })

  it('says what it does not know of an unknown model', () => {
    expect(facts('mistral', 'my-own-model')).toEqual({
      contextWindow: null,
      outputLimit: null,
      price: null,
      images: true,
      reasoning: false,
      toolShape: 'edit',
    })
  })

  it('has local models and recordings for nothing, and no other server', () => {
    const own = { id: 'own', baseUrl: 'http://127.0.0.1:9/v1' }
    expect(facts('ollama', 'qwen3').price).toEqual({ input: 0, output: 0 })
    expect(modelFacts(own, 'm').price).toEqual({ input: 0, output: 0 })
    expect(modelFacts({ ...own, baseUrl: '', recording: '/r' }, 'm').price).toEqual({ input: 0, output: 0 })
    expect(modelFacts({ ...own, envKey: 'GATEWAY_KEY' }, 'm').price).toBeNull()
    expect(modelFacts({ ...own, baseUrl: 'http://models.example/v1' }, 'm').price).toBeNull()
  })

  it('has the default model of each provider that makes its own', () => {
    for (const id of ['openai', 'anthropic', 'google', 'groq', 'mistral', 'deepseek'])
      expect(facts(id, provider(id).defaultModel ?? ''), id).toMatchObject({ price: { input: expect.any(Number) } })
  })

  it('has rows that make sense', () => {
    const rows = Object.values(catalogue).flatMap((models) => Object.entries(models))
    for (const [name, [window, , [input, cachedInput, cacheWrite, output], , long]] of rows) {
      expect(window, name).toBeGreaterThanOrEqual(8_192)
      expect(cachedInput ?? input, name).toBeLessThanOrEqual(input)
      expect(cacheWrite ?? input * 1.25, name).toBeGreaterThanOrEqual(input)
      expect(output, name).toBeGreaterThanOrEqual(input)
      expect(long?.[1][0] ?? input * 2, name).toBeGreaterThan(input)
    }
  })
})

describe('the cost of a call', () => {
  const price = { input: 2, cachedInput: 0.2, cacheWrite: 2.5, output: 10 }

  it('charges each kind of token once', () => {
    const usage = dollars(1_000_000, { cachedInputTokens: 600_000, cacheWriteTokens: 100_000, outputTokens: 50_000 })
    expect(costOf(usage, price)).toBe(0.6 + 0.12 + 0.25 + 0.5)
  })

  it('charges cached input in full where no other price is known', () => {
    expect(costOf(dollars(1_000, { cachedInputTokens: 1_000 }), { input: 1, output: 2 })).toBe(0.001)
  })

  it('takes the prices of a long request from the stated size on', () => {
    const long = { overTokens: 200_000, prices: { input: 4, output: 18 } }
    expect(costOf(dollars(200_000), { ...price, long })).toBe(0.4)
    expect(costOf(dollars(200_001), { ...price, long })).toBe(0.800004)
  })
})
