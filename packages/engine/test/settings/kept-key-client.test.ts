import type { ProviderKeys } from '@parley/credentials/src/provider-keys.ts'
import { builtinProviders, createModelClient, type ModelRequest } from '@parley/models'
import { describe, expect, it } from 'vitest'
import { keptKeyClient } from '../../src/settings/kept-key-client.ts'

const request: ModelRequest = { model: 'm', instructions: '', entries: [], tools: [], cacheKey: 'c' }

/** A client whose login is at a server that does not answer. */
function clientOfSilentLogin() {
  const asked = Promise.withResolvers<void>()
  const keys: ProviderKeys = {
    kept: () => new Set(['openai']),
    learn: () => Promise.resolve(),
    keyOf: () => {
      asked.resolve()
      return new Promise(() => undefined)
    },
  }
  const provider = builtinProviders({}).find(({ id }) => id === 'openai')
  if (provider === undefined) throw new Error('openai is built in')
  return {
    client: keptKeyClient(provider, { keys, env: {} }, (keptKey) => createModelClient(provider, { keptKey, env: {} })),
    asked: asked.promise,
  }
}

describe('a request whose login is being renewed', () => {
  it('ends when it is aborted', async () => {
    const { client, asked } = clientOfSilentLogin()
    const cancel = new AbortController()
    const first = client.stream(request, cancel.signal)[Symbol.asyncIterator]().next()
    const listing = client.listModels(cancel.signal)
    await asked
    cancel.abort()
    expect(await first).toEqual({ done: false, value: { type: 'aborted' } })
    expect(await listing).toEqual({ type: 'aborted' })
  })
})
