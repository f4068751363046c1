import { type CloseReason, createPeer, type Incoming, type Peer, type PeerFault, type Transport } from '@parley/rpc'
import { createHandlers } from './handlers.ts'
import { createHandshake, type EnvironmentInfo, type Handshake } from './handshake.ts'
import { createLink } from './link.ts'
import type { PolicyEnforcer } from './sandbox/enforce-policy.ts'
import type { Sessions } from './sessions.ts'

export interface ExecParts {
  readonly sessions: Sessions
  readonly enforcer: PolicyEnforcer
  /** Resolves with the environment as it is now. */
  readonly environmentInfo: () => Promise<EnvironmentInfo>
  /** Time limit for `initialize`; null sets none. */
  readonly initializeTimeoutMs: number | null
  report(fault: PeerFault): void
}

/**
 * Serves one client until its connection closes; `sessions` decides how long its processes live on. `detail` of the
 * result names a protocol violation that closed the connection.
 */
export async function serveExec(transport: Transport, parts: ExecParts): Promise<CloseReason> {
  const handshake = createHandshake()
  let peer: Peer | null = null
  const link = createLink(transport, () => {
    if (peer === null) throw new Error('a session was opened before its connection')
    return peer
  })
  let violation: string | null = null
  const findViolation = (message: Message) => {
    violation = violationIn(message, handshake)
    return violation
  }
  peer = createPeer({
    transport: enforceProtocol(transport, findViolation),
    methods: createHandlers({ handshake, link, ...parts }),
    onFault: parts.report,
  })
  const timeout =
    parts.initializeTimeoutMs === null
      ? undefined
      : setTimeout(closeUninitialized, parts.initializeTimeoutMs, handshake, peer).unref()
  const reason = await peer.closed
  clearTimeout(timeout)
  const session = handshake.opened
  if (session !== null) await parts.sessions.leave(session, link)
  return violation === null ? reason : { code: 'closed', detail: violation }
}

function violationIn(message: Message, handshake: Handshake): string | null {
  if (message.kind === 'reply') return 'it answered what it was not asked'
  const { method } = message
  if (method !== 'initialized')
    return `it sent the notification ${JSON.stringify(method).slice(0, 100)}; the only one is "initialized"`
  return handshake.confirmed() ? null : 'it sent "initialized" before "initialize"'
}

function closeUninitialized(handshake: Handshake, peer: Peer): void {
  if (handshake.opened === null) void peer.close()
}

/** Returns why a message violates the protocol; null when it does not. */
type FindViolation = (message: Message) => string | null

type Message = { readonly kind: 'notification'; readonly method: unknown } | { readonly kind: 'reply' }

/**
 * Returns a transport that ends at the first protocol violation. It adds `jsonrpc` to messages without it, since
 * existing clients leave it out.
 */
function enforceProtocol(transport: Transport, findViolation: FindViolation): Transport {
  return {
    incoming: readChecked(transport.incoming, findViolation),
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

async function* readChecked(
  incoming: Transport['incoming'],
  findViolation: FindViolation,
): AsyncGenerator<Incoming, CloseReason, undefined> {
  const lines = incoming[Symbol.asyncIterator]()
  for (let step = await lines.next(); ; step = await lines.next()) {
    if (step.done === true) return step.value
    const fault = step.value.kind === 'message' ? violationOf(step.value.value, findViolation) : null
    if (fault !== null) return { code: 'closed', detail: fault }
    yield withVersion(step.value)
  }
}

function violationOf(value: unknown, findViolation: FindViolation): string | null {
  if (!isObject(value)) return null
  const { method } = value
  if (method !== undefined) return 'id' in value ? null : findViolation({ kind: 'notification', method })
  return 'result' in value || 'error' in value ? findViolation({ kind: 'reply' }) : null
}

function withVersion(incoming: Incoming): Incoming {
  if (incoming.kind !== 'message' || !isObject(incoming.value) || 'jsonrpc' in incoming.value) return incoming
  return { kind: 'message', value: { jsonrpc: '2.0', ...incoming.value } }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
