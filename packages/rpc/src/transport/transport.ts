import type { Server } from 'node:net'
import { errorCode } from '@parley/text'

/** Reason why a line is not a message; it never carries the line's content. */
export type UnreadableReason = 'tooLong' | 'notUtf8' | 'notJson' | 'tooDeep' | 'tooManyValues' | 'repeatedId' | 'binary'

export interface Unreadable {
  readonly kind: 'unreadable'
  readonly reason: UnreadableReason
}

/** Line (or websocket frame) received from the remote end. */
export type Incoming = { readonly kind: 'message'; readonly value: unknown } | Unreadable

export function unreadable(reason: UnreadableReason): Unreadable {
  return { kind: 'unreadable', reason }
}

/** `ended`: the remote end closed or disappeared; `closed`: this end closed; `broken`: the channel failed. */
export interface CloseReason {
  readonly code: 'ended' | 'closed' | 'broken'
  readonly detail?: string
}

/**
 * Two-way, ordered channel of JSON texts. Its owner pulls `incoming` until that ends, then calls `close`. Lines sent
 * before `close` are delivered where possible: a remote end that ended its input may still read.
 */
export interface Transport extends AsyncDisposable {
  /** Yields one line per pull and returns the close reason. Can be iterated once; reads at most one chunk ahead. */
  readonly incoming: AsyncIterable<Incoming, CloseReason, undefined>
  /** Sends one JSON text, in order. Throws `TypeError` for a line feed in it; does nothing after `close`. */
  send(line: string): void
  /** Bytes sent but not yet taken by the operating system. */
  readonly bufferedBytes: number
  /** Resolves when `bufferedBytes` is at most 1 MiB, or when the remote end can no longer be written to. */
  drained(): Promise<void>
  /** Flushes sent lines for a limited time, closes, and resolves when closed. Idempotent. */
  close(): Promise<void>
  /** Pings the remote end and resolves with `true` if it replies in time. Absent where the channel has no ping. */
  ping?(withinMs: number): Promise<boolean>
  /** Resolves with the first close reason; never rejects. */
  readonly closed: Promise<CloseReason>
}

/** Returns a transport with other incoming lines. The caller must no longer pull from the given one. */
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

export interface Listener extends AsyncDisposable {
  /** Path of a socket, or `host:port`. */
  readonly address: string
  /** Stops listening; open connections stay open. Idempotent. */
  close(): Promise<void>
}

/** Longest line, in bytes, where no other limit is set. A test of the client holds it to the protocol's `wireLine`. */
export const defaultMaxLineBytes = 32 * 1024 * 1024

export interface TransportLimits {
  /** Deepest nesting of arrays and objects. Default 512. */
  readonly maxDepth: number
  /** Most values in one line; an empty array or object counts twice at most. Default 100,000. */
  readonly maxValues: number
  /**
   * Milliseconds for writing the last bytes after `close`, and for reading the remote end's last bytes after the output
   * failed. Default 1000.
   */
  readonly graceMs: number
}

export const defaultLimits: TransportLimits = { maxDepth: 512, maxValues: 100_000, graceMs: 1000 }

/** Limits for answers of an end that this end chose to connect to: pages and snapshots hold many small values. */
export const answerLimits = { maxValues: 4_000_000 } as const

/** Throws `TypeError` for a line that would be read as two. */
export function assertOneLine(line: string): void {
  if (line.includes('\n')) throw new TypeError('a line must not contain a line feed')
}

export function listenerOf(server: Server, address: string): Listener {
  let closed: Promise<void> | undefined
  const close = () => {
    // Resolves without waiting for the server's `close` event, which comes only after the last open connection ends.
    closed ??= Promise.resolve(void server.close())
    return closed
  }
  return { address, close, [Symbol.asyncDispose]: close }
}

/** Mark, in unsent bytes, at which `Transport.drained` resolves. */
const lowMarkBytes = 1024 * 1024

interface DrainWaiters {
  /** Resolves when the level is at most 1 MiB, at once if it already is. */
  drained(): Promise<void>
  flushed(): Promise<void>
  /** Resolves the waiters that wait for the present level. Must be called whenever the level may have fallen. */
  check(): void
}

/** Creates the list of callers that wait for `level` (unsent bytes) to fall. */
export function createDrainWaiters(level: () => number): DrainWaiters {
  let waiters: { readonly mark: number; readonly resolve: () => void }[] = []

  function whenAtMost(mark: number): Promise<void> {
    if (level() <= mark) return Promise.resolve()
    return new Promise((resolve) => {
      waiters.push({ mark, resolve })
    })
  }

  function check(): void {
    if (waiters.length === 0) return
    const waiting = waiters
    waiters = waiting.filter((waiter) => level() > waiter.mark)
    for (const waiter of waiting) if (level() <= waiter.mark) waiter.resolve()
  }

  return { drained: () => whenAtMost(lowMarkBytes), flushed: () => whenAtMost(0), check }
}

/**
 * `unreachable`: no listener at the address; `refused`: the listener rejected this client (file permissions, token,
 * Origin); `notWebSocket`: the listener speaks another protocol; `untrusted`: there is no TLS with it, or its
 * certificate is not accepted; `timedOut`: no reply in time.
 */
type ConnectErrorReason = 'unreachable' | 'refused' | 'notWebSocket' | 'untrusted' | 'timedOut'

/** Failure to connect. Its message is one sentence that names the address, never the token. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError'
  readonly reason: ConnectErrorReason
  /** Clause without the address, for a line that already names the address; null where no clause is known. */
  readonly why: string | null

  constructor(reason: ConnectErrorReason, message: string, { cause, why }: { cause?: unknown; why?: string } = {}) {
    super(message, { cause })
    this.reason = reason
    this.why = why ?? null
  }
}

/** Failure to listen on an address. Its message is one sentence that says why. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
}

/** Converts an error of the operating system into a `ConnectError`. */
export function connectErrorOf(address: string, cause: Error): ConnectError {
  const code = codeOrMessage(cause)
  const reason = code === 'EACCES' || code === 'EPERM' ? 'refused' : code === 'ETIMEDOUT' ? 'timedOut' : 'unreachable'
  return new ConnectError(reason, `cannot connect to ${address} (${code})`, { cause, why: code })
}

/** Codes of errors that mean the remote end closed the channel or exited. */
const remoteGoneCodes: ReadonlySet<string> = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
])

/** Converts an error of an open channel into a close reason: `ended` or `broken`. */
export function closeReasonOf(error: unknown): CloseReason {
  const detail = error instanceof Error ? codeOrMessage(error) : String(error)
  return { code: remoteGoneCodes.has(detail) ? 'ended' : 'broken', detail }
}

/** Returns the error's `code`, else its message. */
export function codeOrMessage(error: Error): string {
  return errorCode(error) ?? error.message
}
