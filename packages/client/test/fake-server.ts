import { type Envelope, initialState, reduce } from '@parley/protocol'
import { createMemoryTransportPair, createPeer, type MethodHandler, type Peer, type Transport } from '@parley/rpc'

export const conversationId = '01a1fc62-0000-7000-8000-000000000001'

/** The far side of a client under test: answers what the test wrote down, and sends what it is told to. */
export interface FakeServer {
  /** The client's end. */
  readonly transport: Transport
  /** Requests in order, with their parameters. */
  readonly asked: [method: string, params: unknown][]
  /** Resolves when a request of this name has come that nobody has taken by this call. */
  next(method: string): Promise<unknown>
  event(envelope: unknown): void
  notice(notice: object): void
  close(): Promise<void>
}

export type FakeMethods = Readonly<Record<string, MethodHandler>>

export function fakeServer(methods: FakeMethods = {}): FakeServer {
  const [transport, far] = createMemoryTransportPair()
  return { ...fakeFarSide(far, methods), transport }
}

/** The same at the end of any transport. */
export function fakeFarSide(far: Transport, methods: FakeMethods): Omit<FakeServer, 'transport'> {
  const asked: [string, unknown][] = []
  const taken = new Map<string, number>()
  const waiting: { method: string; resolve: (params: unknown) => void }[] = []
  const all: Readonly<Record<string, MethodHandler>> = { initialize: () => greeting, ...methods }
  const watched = (name: string, handler: MethodHandler): MethodHandler => {
    return (params, context) => {
      asked.push([name, params])
      const at = waiting.findIndex(({ method }) => method === name)
      if (at >= 0) take(name, waiting.splice(at, 1)[0]?.resolve)
      return handler(params, context)
    }
  }
  const take = (method: string, resolve: ((params: unknown) => void) | undefined) => {
    const before = taken.get(method) ?? 0
    const request = asked.filter(([name]) => name === method)[before]
    if (request === undefined || resolve === undefined) return false
    taken.set(method, before + 1)
    resolve(request[1])
    return true
  }
  const peer: Peer = createPeer({
    transport: far,
    methods: Object.fromEntries(Object.entries(all).map(([name, handler]) => [name, watched(name, handler)])),
  })
  return {
    asked,
    next: (method) =>
      new Promise((resolve) => {
        if (!take(method, resolve)) waiting.push({ method, resolve })
      }),
    event: (envelope) => peer.notify('conversation/event', envelope),
    notice: (notice) => peer.notify('server/notice', notice),
    close: () => peer.close(),
  }
}

const greeting = {
  protocolVersion: 2,
  serverInfo: { name: 'fake', version: '0', build: '0' },
  clientId: 'c-1',
  home: '/h',
  capabilities: [],
}

/** Event number `seq` of a log, each a name of its own, so that a state tells which were folded. */
export function named(seq: number): Envelope {
  return { conversationId, seq, at: 0, event: { type: 'conversation.renamed', name: `n${seq}` }, crc: `crc${seq}` }
}

/** The state after the events up to `seq`. */
export function stateAt(seq: number) {
  const all = Array.from({ length: seq }, (_, at) => named(at + 1))
  return all.reduce(reduce, initialState(conversationId))
}

export const cursorAt = (seq: number) => ({ seq, crc: seq === 0 ? null : `crc${seq}` })
