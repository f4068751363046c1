import type { CloseReason, Incoming, Transport } from '@parley/rpc'

/** Why a message is one that no client of this protocol sends; null when it may. */
export type Judge = (message: Message) => string | null

export type Message = { readonly kind: 'notification'; readonly method: unknown } | { readonly kind: 'reply' }

/**
 * The connection as it is, until the far side sends what it must not: that ends it. A message without `jsonrpc` is
 * taken for one with it, since existing clients leave it out.
 */
export function enforceConduct(transport: Transport, judge: Judge): Transport {
  return {
    incoming: readJudged(transport.incoming, judge),
    send: (line) => transport.send(line),
    get bufferedBytes() {
      return transport.bufferedBytes
    },
    drained: () => transport.drained(),
    close: () => transport.close(),
    closed: transport.closed,
    [Symbol.asyncDispose]: () => transport.close(),
  }
}

async function* readJudged(
  incoming: Transport['incoming'],
  judge: Judge,
): AsyncGenerator<Incoming, CloseReason, undefined> {
  const lines = incoming[Symbol.asyncIterator]()
  for (let step = await lines.next(); ; step = await lines.next()) {
    if (step.done === true) return step.value
    const fault = step.value.kind === 'message' ? faultOf(step.value.value, judge) : null
    if (fault !== null) return { code: 'closed', detail: fault }
    yield withVersion(step.value)
  }
}

function faultOf(value: unknown, judge: Judge): string | null {
  if (!isObject(value)) return null
  const { method } = value
  if (method !== undefined) return 'id' in value ? null : judge({ kind: 'notification', method })
  return 'result' in value || 'error' in value ? judge({ kind: 'reply' }) : null
}

function withVersion(incoming: Incoming): Incoming {
  if (incoming.kind !== 'message' || !isObject(incoming.value) || 'jsonrpc' in incoming.value) return incoming
  return { kind: 'message', value: { jsonrpc: '2.0', ...incoming.value } }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
