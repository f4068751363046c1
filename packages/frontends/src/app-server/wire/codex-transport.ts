import type { Transport } from '@parley/rpc'
import { isRecord } from '@parley/text'

/** Sends a notification to the client. */
export type Notify = (method: string, params: Readonly<Record<string, unknown>>) => void

/** Name that unknown methods are dispatched under. */
export const unknownMethod = '$unknown'

/**
 * Wraps a transport of Codex's JSON-RPC: its messages have no `jsonrpc` member, and its notifications carry
 * `emittedAtMs`. An unknown method becomes `unknownMethod`, which has an answer of its own.
 */
export function codexTransport(
  transport: Transport,
  { isKnown, now }: { readonly isKnown: (method: string) => boolean; readonly now: () => number },
): Transport {
  function incomingMessage(value: unknown): unknown {
    if (!isRecord(value)) return value
    const { method, id } = value
    const message = { ...value, jsonrpc: '2.0' }
    if (typeof method !== 'string' || id === undefined || isKnown(method)) return message
    return { ...message, method: unknownMethod, params: { method } }
  }

  async function* incoming() {
    const lines = transport.incoming[Symbol.asyncIterator]()
    let step = await lines.next()
    while (step.done !== true) {
      yield step.value.kind === 'message' ? { ...step.value, value: incomingMessage(step.value.value) } : step.value
      step = await lines.next()
    }
    return step.value
  }

  function outgoingLine(line: string): string {
    const { jsonrpc: _, ...message }: Record<string, unknown> = JSON.parse(line)
    const isNotification = 'method' in message && !('id' in message)
    return JSON.stringify(isNotification ? { ...message, emittedAtMs: now() } : message)
  }

  return {
    incoming: incoming(),
    send: (line) => transport.send(outgoingLine(line)),
    get bufferedBytes() {
      return transport.bufferedBytes
    },
    drained: () => transport.drained(),
    close: () => transport.close(),
    closed: transport.closed,
    ...(transport.ping === undefined
      ? {}
      : { ping: (withinMs: number) => transport.ping?.(withinMs) ?? Promise.resolve(true) }),
    [Symbol.asyncDispose]: () => transport.close(),
  }
}
