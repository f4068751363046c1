import { connectTestClient } from '@parley/engine/test/support/test-client.ts'
import { createMemoryTransportPair, createPeer, RpcError } from '@parley/rpc'
import { waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { createConnections } from '../../../src/frontends/conversation/connections.ts'
import { testPlace } from '../../engine/support/test-server.ts'

function scene(
  place: ReturnType<typeof testPlace>,
  limits: { maxClients?: number; initializeTimeoutMs?: number } = {},
) {
  const counts: number[] = []
  const connections = createConnections({
    engine: place.start().engine,
    onChange: () => counts.push(connections.count),
    ...limits,
  })
  const arrive = (kind: 'stdio' | 'socket' = 'socket') => {
    const [ours, theirs] = createMemoryTransportPair()
    connections.accept(theirs, kind)
    return ours
  }
  return { connections, counts, arrive }
}

describe('the connections of a server', () => {
  it('come and go, and are all gone when it closes', async () => {
    await using place = testPlace()
    const { connections, counts, arrive } = scene(place)
    const first = await connectTestClient(arrive('stdio'), 'first')
    const second = await connectTestClient(arrive(), 'second')
    expect((await first.request('server/diagnostics', {})).clients).toMatchObject([
      { name: 'first', transport: 'stdio' },
      { name: 'second', transport: 'socket' },
    ])
    await second.peer.close()
    await connections.close()
    expect(await first.peer.closed).toMatchObject({ code: 'ended' })
    expect(counts).toEqual([1, 2, 1, 0])
    expect(await createPeer({ transport: arrive(), methods: {} }).closed).toMatchObject({ code: 'ended' })
  })

  it('are limited; one beyond the limit is rejected and the others go on', async () => {
    await using place = testPlace()
    const { connections, arrive } = scene(place, { maxClients: 2 })
    const [one] = [await connectTestClient(arrive()), await connectTestClient(arrive())]
    const error = await connectTestClient(arrive()).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(RpcError)
    expect(error).toMatchObject({
      code: -32001,
      message: 'This server has 2 clients already. Close some, or try again later.',
    })
    expect((await one.request('server/diagnostics', {})).clients).toHaveLength(2)
    await one.peer.close()
    await waitUntil(() => connections.count === 1, { what: 'a free place' })
    const next = await connectTestClient(arrive())
    expect((await next.request('server/diagnostics', {})).clients).toHaveLength(2)
    await connections.close()
  })

  it('are closed without initialize in time, except on stdin', async () => {
    await using place = testPlace()
    const { connections, arrive } = scene(place, { initializeTimeoutMs: 5 })
    const patient = arrive('stdio')
    const silent = createPeer({ transport: arrive(), methods: {} })
    await silent.closed
    const client = await connectTestClient(patient)
    expect((await client.request('server/diagnostics', {})).clients).toHaveLength(1)
    await connections.close()
  })
})
