import { createMemoryTransportPair, createPeer, type Peer, RpcError } from '@parley/rpc'
import { describe, expect, it } from 'vitest'
import { serveConnection } from '../../../src/frontends/conversation/connections.ts'
import { type TestPlace, testPlace } from '../../engine/support/test-server.ts'

const hello = { protocolVersion: { min: 2, max: 2 }, clientInfo: { name: 'test', version: '1' } }

function rawPeer(place: TestPlace): Peer {
  const [ours, theirs] = createMemoryTransportPair()
  void serveConnection(theirs, place.start().engine)
  return createPeer({ transport: ours, methods: {} })
}

async function errorOf(answer: Promise<unknown>) {
  const error = await answer.then(
    () => null,
    (cause: unknown) => cause,
  )
  return error instanceof RpcError ? { number: error.code, ...error.data } : error
}

describe('the handshake', () => {
  it('comes first: any other request is rejected and changes nothing', async () => {
    await using place = testPlace()
    const peer = rawPeer(place)
    expect(await errorOf(peer.request('conversation/create', { cwd: place.cwd }))).toMatchObject({
      number: -32600,
      code: 'notInitialized',
    })
    expect(await peer.request('initialize', hello)).toMatchObject({
      protocolVersion: 2,
      serverInfo: { name: 'parley' },
    })
    expect(await peer.request('server/diagnostics', {})).toMatchObject({ conversations: [] })
    await peer.close()
  })

  it('cuts a long client name', async () => {
    await using place = testPlace()
    const peer = rawPeer(place)
    await peer.request('initialize', { ...hello, clientInfo: { name: 'n'.repeat(5000), version: '1' } })
    const short = 'n'.repeat(100)
    expect(await peer.request('server/diagnostics', {})).toMatchObject({ clients: [{ name: short, title: short }] })
    await peer.close()
  })

  it('is done once, and a second one changes nothing', async () => {
    await using place = testPlace()
    const peer = rawPeer(place)
    const first = await peer.request('initialize', hello)
    const second = { ...hello, clientInfo: { name: 'other', version: '2' } }
    expect(await errorOf(peer.request('initialize', second))).toMatchObject({
      number: -32600,
      code: 'alreadyInitialized',
    })
    expect(await peer.request('server/diagnostics', {})).toMatchObject({ home: expect.stringContaining('.parley') })
    expect(first).toMatchObject({ clientId: expect.stringMatching(/^c-/) })
    await peer.close()
  })

  it('with a client of protocol 1 ends in one sentence that names both ranges', async () => {
    await using place = testPlace()
    const peer = rawPeer(place)
    // As a client of version 1 says it.
    const older = peer.request('initialize', {
      protocolVersion: { min: 1, max: 1 },
      clientInfo: { name: 'parley', version: '0.1.0' },
      capabilities: ['approvals'],
    })
    await expect(older).rejects.toThrow(
      /^This server is parley \S+ and speaks protocol 2, but the client parley 0\.1\.0 speaks 1: update the client\.$/,
    )
    expect(await errorOf(older)).toMatchObject({ server: { min: 2, max: 2 }, client: { min: 1, max: 1 } })
    await peer.close()
  })

  it('without a version in common names both ranges, and can be tried again', async () => {
    await using place = testPlace()
    const peer = rawPeer(place)
    const newer = peer.request('initialize', { ...hello, protocolVersion: { min: 7, max: 9 } })
    await expect(newer).rejects.toThrow(
      /^This server is parley \S+ and speaks protocol 2, but the client test 1 speaks 7 to 9: update the server, then end it so that it starts anew\.$/,
    )
    expect(await errorOf(newer)).toMatchObject({
      number: -32600,
      code: 'protocolVersion',
      server: { min: 2, max: 2 },
      client: { min: 7, max: 9 },
    })
    expect(await peer.request('initialize', { ...hello, protocolVersion: { min: 1, max: 9 } })).toMatchObject({
      protocolVersion: 2,
    })
    await peer.close()
  })
})
