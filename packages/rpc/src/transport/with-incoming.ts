import type { Transport } from './transport.ts'

/** Returns a transport that yields other lines than the given one, which its owner must not pull any more. */
export function withIncoming(transport: Transport, incoming: Transport['incoming']): Transport {
  const { ping } = transport
  return {
    incoming,
    send: (line) => transport.send(line),
    get bufferedBytes() {
      return transport.bufferedBytes
    },
    drained: () => transport.drained(),
    close: () => transport.close(),
    ...(ping === undefined ? {} : { ping: (withinMs: number) => ping.call(transport, withinMs) }),
    closed: transport.closed,
    [Symbol.asyncDispose]: () => transport.close(),
  }
}
