import { describe, expect, it } from 'vitest'
import type { ModelEvent } from '../../../src/port/model-client.ts'
import type { ProviderConfig, WireName } from '../../../src/providers.ts'
import { createModelClient } from '../../../src/registry.ts'
import { openStreamOf, type Reply, refusalOf, startLoopback, streamOf } from '../../support/loopback.ts'
import { fixture } from '../../support/read-body.ts'
import { collect, failureOf, providerAt } from '../../support/requests.ts'
import { readAsWire } from '../../support/sdk-answer.ts'
import { pluginWorld } from './plugin-world.ts'

const env = { A_KEY: 'the-key-of-it' }
const pairs = [
  ['anthropic', '@ai-sdk/anthropic'],
  ['gemini', '@ai-sdk/google'],
] as const

/** Returns the events of our wire and of the package in its process, for the same reply. */
async function bothOf(wireApi: WireName, name: string, reply: Reply): Promise<readonly (readonly ModelEvent[])[]> {
  await using world = pluginWorld()
  await world.installReal(name)
  await using server = await startLoopback(reply)
  const own: ProviderConfig = { ...providerAt(server.baseUrl, { envKey: 'A_KEY' }), wireApi }
  return [
    await collect(createModelClient(own, { env })),
    await collect(world.client(name, { baseUrl: server.baseUrl, envKey: 'A_KEY' }, env)),
  ]
}

describe.each(pairs)('a package in its process and our %s wire', (wireApi, name) => {
  it('make the same of an answer with calls', async () => {
    const [own, plugin] = await bothOf(wireApi, name, streamOf(fixture(`${wireApi}-answer`)))
    expect(readAsWire(plugin ?? [])).toEqual(readAsWire(own ?? []))
  })

  it('make the same of an answer at the output limit', async () => {
    const [own, plugin] = await bothOf(wireApi, name, streamOf(fixture(`${wireApi}-length`)))
    expect(readAsWire(plugin ?? []).stop).toBe('length')
    expect(readAsWire(plugin ?? []).text).toBe(readAsWire(own ?? []).text)
  })

  it.each([
    ['a refused key', 401],
    ['a limit of requests', 429],
    ['a fault', 500],
  ])('say the same of %s', async (_words, status) => {
    const [own, plugin] = await bothOf(wireApi, name, refusalOf(status, { error: { message: 'No.' } }))
    const { code, retry } = failureOf([...(own ?? [])])
    expect(failureOf([...(plugin ?? [])])).toMatchObject({ code, retry, status })
  })

  it('fail for an answer that is cut', async () => {
    const cut = fixture(`${wireApi}-answer`).subarray(0, 400).toString('utf8')
    const [own, plugin] = await bothOf(
      wireApi,
      name,
      openStreamOf([cut], (response) => void response.destroy()),
    )
    expect([own?.at(-1)?.type, plugin?.at(-1)?.type]).toEqual(['failed', 'failed'])
  })
})
