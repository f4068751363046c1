import { join } from 'node:path'
import { hasNats, startNats, waitUntil } from '@parley/testkit'
import { expect, it } from 'vitest'
import { processPlace } from './support/spawned-server.ts'

it.skipIf(!hasNats)(
  'a server whose store has lost two of three servers is not ready and says why, until they are back',
  { timeout: 60_000 },
  async () => {
    await using nats = await startNats({ servers: 3 })
    await using place = processPlace('http://127.0.0.1:1')
    const listening = ['--listen', 'ws://127.0.0.1:0', '--token-file', join(place.root, 'token')]
    const server = place.spawn(undefined, {}, ['--store', `nats://${nats.addresses.join(',')}`, ...listening])
    const address = await waitUntil(() => /ws:\/\/\S+/.exec(server.stderr())?.[0], { what: 'the address' })
    const probe = async (path: string) => {
      const answer = await fetch(`${address.replace('ws:', 'http:')}${path}`)
      return { status: answer.status, text: (await answer.text()).trim() }
    }
    expect(await probe('/readyz')).toEqual({ status: 200, text: 'OK' })
    for (const index of [0, 1]) await nats.kill(index)
    await waitUntil(async () => (await probe('/readyz')).status === 503, { what: 'a server that is not ready' })
    expect((await probe('/readyz')).text).toMatch(/^The store (does not answer|has no leader for \w+)/)
    expect(await probe('/healthz')).toEqual({ status: 200, text: 'OK' })
    for (const index of [0, 1]) await nats.start(index)
    await waitUntil(async () => (await probe('/readyz')).status === 200, {
      what: 'a server that is ready',
      timeoutMs: 30_000,
    })
  },
)
