import { PassThrough } from 'node:stream'
import { createStreamTransport, type StreamLimits } from './stream-transport.ts'
import type { Transport } from './transport.ts'

/** Two ends of one connection inside this process, for tests: real framing, asynchronous, in order, with back-pressure. */
export function createMemoryTransportPair(limits: Partial<StreamLimits> = {}): [Transport, Transport] {
  const there = new PassThrough()
  const back = new PassThrough()
  return [
    createStreamTransport({ ...limits, input: back, output: there }),
    createStreamTransport({ ...limits, input: there, output: back }),
  ]
}
