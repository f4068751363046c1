import { builtinProviders, type ProviderConfig } from '@parley/models'
import { describe, expect, it } from 'vitest'
import { factsOfModel, setOutputLimit, unknownModel } from '../../src/settings/facts-of-model.ts'

const openai = builtinProviders({}).find(({ id }) => id === 'openai') ?? (null as unknown as ProviderConfig) // narrowed: it is built in

describe('what is known of a model', () => {
  const entry = { model_providers: { openai: { context_window: 3, output_limit: 3 } } }
  const model = { models: { 'gpt-5': { context_window: 2, output_limit: 2 } } }
  const top = { model_context_window: 1, model_max_output_tokens: 1 }

  it.each([
    ['the catalogue', {}, 272_000, undefined],
    ["the provider's entry", entry, 3, 3],
    ['[models]', { ...entry, ...model }, 2, 2],
    ['the top-level key', { ...entry, ...model, ...top }, 1, 1],
  ])('comes from %s', (_from, config, contextWindow, outputLimit) => {
    expect(factsOfModel({ provider: openai }, 'gpt-5', config)).toMatchObject({
      contextWindow,
      outputLimit: outputLimit ?? 128_000,
    })
    expect(setOutputLimit(openai, 'gpt-5', config)).toBe(outputLimit)
  })

  it("comes from the provider's list before the catalogue, and after all that the user says", () => {
    const listed = { contextWindow: 100_000, outputLimit: 9_000, price: { input: 4, output: 8 } }
    const source = { provider: openai, listed }
    expect(factsOfModel(source, 'gpt-5', {})).toMatchObject(listed)
    expect(factsOfModel(source, 'gpt-5', entry)).toMatchObject({ contextWindow: 3, outputLimit: 3 })
    const own = { models: { 'gpt-5': { price: { input: 1 } } } }
    expect(factsOfModel(source, 'gpt-5', own).price).toEqual({ input: 1, output: 8 })
    expect(setOutputLimit(openai, 'gpt-5', {})).toBeUndefined()
  })

  it('keeps the part for the request where the list counts the answer in', () => {
    const listed = { contextWindow: 400_000 }
    expect(factsOfModel({ provider: openai, listed }, 'gpt-5', {}).contextWindow).toBe(272_000)
  })

  it('leaves abilities to the catalogue and the user', () => {
    const known = factsOfModel({ provider: openai }, 'gpt-5', {})
    const { images, reasoning, toolShape } = known
    const listed = { contextWindow: 100_000 }
    expect(factsOfModel({ provider: openai, listed }, 'gpt-5', {})).toMatchObject({ images, reasoning, toolShape })
  })

  it('has the price and abilities that the user says', () => {
    const own = { price: { input: 1, output: 2, cached_input: 0.5 }, images: false, reasoning: false }
    expect(factsOfModel({ provider: openai }, 'gpt-5', { models: { 'gpt-5': own } })).toMatchObject({
      price: { input: 1, cachedInput: 0.5, output: 2 },
      images: false,
      reasoning: false,
    })
  })

  it('has the prices of the catalogue that the user leaves out, and none that nobody gives', () => {
    const price = { output: 99 }
    expect(factsOfModel({ provider: openai }, 'gpt-5', { models: { 'gpt-5': { price } } }).price).toEqual({
      input: 1.25,
      cachedInput: 0.125,
      output: 99,
    })
    expect(factsOfModel({ provider: openai }, 'mine', { models: { mine: { price } } }).price).toBeNull()
  })

  it('is nothing for a provider that does not exist', () => {
    expect(factsOfModel({ provider: null }, 'gpt-5', {})).toEqual(unknownModel)
  })
})
