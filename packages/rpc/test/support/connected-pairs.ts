import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  connectSocket,
  createMemoryTransportPair,
  type Listener,
  listenSocket,
  type Transport,
} from '../../src/index.ts'
import { connectWebSocket, listenWebSocket } from '../../src/websocket/websockets.ts'

export interface ConnectedPair extends AsyncDisposable {
  readonly here: Transport
  readonly there: Transport
}

/** Two connected ends of each kind of transport. */
export const connectedPairs: Readonly<Record<string, () => Promise<ConnectedPair>>> = {
  memory: memoryPair,
  'Unix socket': socketPair,
  websocket: websocketPair,
}

async function memoryPair(): Promise<ConnectedPair> {
  const [here, there] = createMemoryTransportPair()
  return withEnd(here, there, async () => {})
}

async function socketPair(): Promise<ConnectedPair> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-rpc-'))
  const path = join(folder, 's')
  return accepted(
    (onConnection) => listenSocket({ path, onConnection }),
    () => connectSocket(path),
    () => rm(folder, { recursive: true }),
  )
}

export async function websocketPair(): Promise<ConnectedPair> {
  return accepted(
    (onConnection) => listenWebSocket({ host: '127.0.0.1', port: 0, token: 'secret', onConnection }),
    ({ address }) => connectWebSocket({ url: `ws://${address}`, token: 'secret' }),
    async () => {},
  )
}

async function accepted(
  listen: (onConnection: (transport: Transport) => void) => Promise<Listener>,
  connect: (listener: Listener) => Promise<Transport>,
  clean: () => Promise<void>,
): Promise<ConnectedPair> {
  const { promise: arrived, resolve } = Promise.withResolvers<Transport>()
  const listener = await listen(resolve)
  const here = await connect(listener)
  const there = await arrived
  return withEnd(here, there, async () => {
    await listener.close()
    await clean()
  })
}

function withEnd(here: Transport, there: Transport, clean: () => Promise<void>): ConnectedPair {
  const dispose = async () => {
    await Promise.all([here.close(), there.close()])
    await clean()
  }
  return { here, there, [Symbol.asyncDispose]: dispose }
}
