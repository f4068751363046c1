import { expect, it } from 'vitest'
import { relayTargets } from '../src/relay-targets.ts'

const holder = { node: 'n-1', pid: 1, providers: [] }

function targets(...addresses: string[]) {
  return relayTargets({ others: async () => addresses.map((address) => ({ ...holder, address, page: null })) }, null)
}

it('names servers of the store only, by addresses at which nobody reads the token', async () => {
  const targetOf = targets('wss://a.example:7100', 'ws://b.example:7100', 'ws://127.0.0.1:7100', 'no address')
  expect(await targetOf('wss://a.example:7100')).toEqual({ url: 'wss://a.example:7100' })
  expect(await targetOf('ws://127.0.0.1:7100')).toEqual({ url: 'ws://127.0.0.1:7100' })
  for (const to of ['ws://b.example:7100', 'no address', 'wss://c.example:7100', ''])
    expect(await targetOf(to)).toBe(null)
})

it('names the websocket of a page, too', async () => {
  const others = async () => [{ ...holder, address: null, page: 'https://a.example' }]
  const targetOf = relayTargets({ others }, 'the authorities')
  expect(await targetOf('wss://a.example/socket')).toEqual({ url: 'wss://a.example/socket', ca: 'the authorities' })
})
