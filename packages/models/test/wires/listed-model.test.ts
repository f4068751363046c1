import { describe, expect, it } from 'vitest'
import { createModelClient } from '../../src/registry.ts'
import { anthropicWire } from '../../src/wires/anthropic/wire.ts'
import { chatWire } from '../../src/wires/chat/wire.ts'
import { geminiWire } from '../../src/wires/gemini/wire.ts'
import { refusalOf, startLoopback } from '../support/loopback.ts'
import { providerAt } from '../support/requests.ts'

const chat = (entry: object) => chatWire.readModels(JSON.stringify({ data: [{ id: 'm', ...entry }] }))?.[0]

describe('what a list says of a model', () => {
  it.each([
    [{ context_length: 262_144, top_provider: { max_completion_tokens: 16_384 } }, 262_144, 16_384],
    [{ context_length: 262_144, top_provider: { max_completion_tokens: null } }, 262_144, undefined],
    [{ context_window: 131_072, max_completion_tokens: 65_536 }, 131_072, 65_536],
    [{ max_context_length: 128_000 }, 128_000, undefined],
    [{ max_context_length: 128_000, loaded_context_length: 8_192 }, 8_192, undefined],
    [{ max_model_len: 32_768 }, 32_768, undefined],
    [{ meta: { n_ctx: 16_384, n_ctx_train: 131_072 } }, 16_384, undefined],
    [{ owned_by: 'library' }, undefined, undefined],
  ])('%j is understood', (entry, contextWindow, outputLimit) => {
    expect(chat(entry)).toEqual({
      id: 'm',
      ...(contextWindow === undefined ? {} : { contextWindow }),
      ...(outputLimit === undefined ? {} : { outputLimit }),
    })
  })

  it('is read from lists of Anthropic and Gemini', () => {
    const data = [{ type: 'model', id: 'claude-x', max_input_tokens: 200_000, max_tokens: 64_000 }]
    expect(anthropicWire.readModels(JSON.stringify({ data }))).toEqual([
      { id: 'claude-x', contextWindow: 200_000, outputLimit: 64_000 },
    ])
    const models = [{ name: 'models/gemini-x', inputTokenLimit: 1_048_576, outputTokenLimit: 65_536 }]
    expect(geminiWire.readModels(JSON.stringify({ models }))).toEqual([
      { id: 'gemini-x', contextWindow: 1_048_576, outputLimit: 65_536 },
    ])
  })

  it('has prices per million where the list has them per token', () => {
    const pricing = { prompt: '0.00000125', completion: '0.00001', input_cache_read: '0.000000125', image: '0' }
    expect(chat({ pricing })).toEqual({ id: 'm', price: { input: 1.25, cachedInput: 0.125, output: 10 } })
    expect(chat({ pricing: { ...pricing, input_cache_write: '1.5e-6' } })?.price?.cacheWrite).toBe(1.5)
  })

  it('is free only by name', () => {
    const pricing = { prompt: '0', completion: '0' }
    expect(chat({ pricing })).toEqual({ id: 'm' })
    expect(chat({ id: 'm:free', pricing })).toEqual({ id: 'm:free', price: { input: 0, output: 0 } })
  })

  it.each([0, -1, 1, 1e12, 8_192.5, '8192 tokens', null, Number.NaN, true, {}])(
    'has no window of %j',
    (context_length) => {
      const top_provider = { max_completion_tokens: 4_096 }
      expect(chat({ context_length, top_provider })).toEqual({ id: 'm', outputLimit: 4_096 })
    },
  )

  it.each([0, -1, 1e12, 300_000, 'all'])('has no output limit of %j', (max_completion_tokens) => {
    expect(chat({ context_length: 200_000, max_completion_tokens })).toEqual({ id: 'm', contextWindow: 200_000 })
  })

  it.each(['-1', '-0.000001', 'NaN', 'Infinity', '1', '0', '', '0x1', 0.000001, null])(
    'has no price with %j for the input',
    (prompt) => {
      expect(chat({ max_model_len: 4_096, pricing: { prompt, completion: '0.00001' } })).toEqual({
        id: 'm',
        contextWindow: 4_096,
      })
    },
  )

  it('leaves a price of the cache out that is above that of the input', () => {
    const pricing = { prompt: '0.000001', completion: '0.000002', input_cache_read: '0.000005' }
    expect(chat({ pricing })?.price).toEqual({ input: 1, output: 2 })
  })

  it('comes with the listing, by name, without those of which it says nothing', async () => {
    const data = [{ id: 'a', max_model_len: 4_096 }, { id: 'b' }]
    await using server = await startLoopback(refusalOf(200, { data }))
    const client = createModelClient(providerAt(server.baseUrl), { env: {} })
    expect(await client.listModels(AbortSignal.timeout(60_000))).toEqual({
      type: 'models',
      models: ['a', 'b'],
      facts: { a: { contextWindow: 4_096 } },
    })
  })
})
