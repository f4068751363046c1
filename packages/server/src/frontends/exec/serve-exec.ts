import { type CloseReason, createPeer, type Incoming, type Peer, type PeerFault, type Transport } from '@parley/rpc'
import { createHandlers } from './handlers.ts'
import { createHandshake, type EnvironmentInfo, type Handshake } from './handshake.ts'
import { createLink } from './link.ts'
import type { PolicyEnforcer } from './sandbox/enforce-policy.ts'
import type { Sessions } from './sessions.ts'

export interface ExecParts {
  readonly sessions: Sessions
  readonly enforcer: PolicyEnforcer
  /** As of now. */
  readonly environmentInfo: () => Promise<EnvironmentInfo>
  /** How long one may be connected without saying who it is; null: as long as it likes. */
  readonly greetingMs: number | null
  report(fault: PeerFault): void
}

/**
 * Serves one client until its connection closes; what becomes of its processes then is for `sessions` to say. `detail`
 * tells what the client did that may not be done, if that is why.
 */
export async function serveExec(transport: Transport, parts: ExecParts): Promise<CloseReason> {
  const handshake = createHandshake()
  let peer: Peer | null = null
  const link = createLink(transport, () => {
    if (peer === null) throw new Error('a session was opened before its connection')
    return peer
  })
  let misconduct: string | null = null
  const judge = (message: Message) => {
    misconduct = misconductIn(message, handshake)
    return misconduct
  }
  peer = createPeer({
    transport: enforceConduct(transport, judge),
    methods: createHandlers({ handshake, link, ...parts }),
    onFault: parts.report,
  })
  const hurry = parts.greetingMs === null ? undefined : setTimeout(turnOut, parts.greetingMs, handshake, peer).unref()
  const reason = await peer.closed
  clearTimeout(hurry)
  const session = handshake.opened
  if (session !== null) await parts.sessions.leave(session, link)
  return misconduct === null ? reason : { code: 'closed', detail: misconduct }
}

function misconductIn(message: Message, handshake: Handshake): string | null {
  if (message.kind === 'reply') return 'it answered what it was not asked'
  const { method } = message
  if (method !== 'initialized')
    return `it sent the notification ${JSON.stringify(method).slice(0, 100)}; the only one is "initialized"`
  return handshake.confirmed() ? null : 'it sent "initialized" before "initialize"'
}

function turnOut(handshake: Handshake, peer: Peer): void {
  if (handshake.opened === null) void peer.close()
}

/** Why a message is one that no client of this protocol sends; null when it may. */
type Judge = (message: Message) => string | null

type Message = { readonly kind: 'notification'; readonly method: unknown } | { readonly kind: 'reply' }

/**
 * The connection as it is, until the far side sends what it must not: that ends it. A message without `jsonrpc` is
 * taken for one with it, since existing clients leave it out.
 */
function enforceConduct(transport: Transport, judge: Judge): Transport {
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
