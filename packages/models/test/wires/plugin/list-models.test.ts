import { describe, expect, it } from 'vitest'
import type { ModelListing } from '../../../src/port/model-client.ts'
import { pluginWorld } from './plugin-world.ts'

const { signal } = new AbortController()

async function listing(list: string, provider = {}): Promise<ModelListing> {
  await using world = pluginWorld()
  world.install('fake', `export const createFake = (settings) => ({ languageModel: () => ({}), ${list} })`)
  return await world
    .client('fake', { envKey: 'FAKE_KEY', ...provider }, { FAKE_KEY: 'the-key-of-it' })
    .listModels(signal)
}

describe('the models of a package', () => {
  it('are those it lists that talk, with the prices it says', async () => {
    const models = `[
      { id: 'maker/a', name: 'A', modelType: 'language', context_window: 200000,
        pricing: { input: '0.000003', output: '0.000015', cachedInputTokens: '0.0000003' } },
      { id: 'maker/b', name: 'B', pricing: null },
      { id: 'maker/vector', modelType: 'embedding' },
      { name: 'nameless' }, 7,
    ]`
    expect(await listing(`getAvailableModels: async () => ({ models: ${models} })`)).toEqual({
      type: 'models',
      models: ['maker/a', 'maker/b'],
      facts: {
        'maker/a': { contextWindow: 200_000, price: { input: 3, output: 15, cachedInput: 0.3 } },
      },
    })
  })

  it.each(['', 'getAvailableModels: () => null', 'getAvailableModels: () => ({})'])(
    'are unlisted where it has no list (%s)',
    async (list) => {
      expect(await listing(list)).toEqual({ type: 'unlisted' })
    },
  )

  it('that it cannot list are a failure that shows no key', async () => {
    const refused = `getAvailableModels() { throw Object.assign(new Error('No ' + settings.apiKey), { statusCode: 401 }) }`
    const found = await listing(refused)
    expect(found).toMatchObject({ type: 'failed', failure: { code: 'auth', status: 401 } })
    expect(JSON.stringify(found)).not.toContain('the-key-of-it')
  })

  it('of a package that cannot be opened are a failure that shows no key', async () => {
    await using world = pluginWorld()
    world.install('fake', `export const createFake = (settings) => { throw new Error('No ' + settings.apiKey) }`)
    const provider = { envKey: 'FAKE_KEY' }
    const found = await world.client('fake', provider, { FAKE_KEY: 'the-key-of-it' }).listModels(signal)
    expect(found).toMatchObject({ type: 'failed', failure: { message: expect.stringContaining('No [key]') } })
  })

  it('are not asked for once they are not wanted', async () => {
    await using world = pluginWorld()
    world.install('fake', 'export const createFake = () => ({ getAvailableModels: () => new Promise(() => {}) })')
    const stop = new AbortController()
    const found = world.client('fake').listModels(stop.signal)
    stop.abort()
    expect(await found).toEqual({ type: 'aborted' })
  })

  it('of a package that is not installed are a failure that says so', async () => {
    await using world = pluginWorld()
    const found = await world.client('fake').listModels(signal)
    expect(found).toMatchObject({ failure: { message: expect.stringContaining('parley provider add fake') } })
  })
})
