import { type IncomingHttpHeaders, type IncomingMessage, request as plainRequest, STATUS_CODES } from 'node:http'
import { request as secureRequest } from 'node:https'
import type { Duplex } from 'node:stream'
import { rejectUpgrade, type TakeStream, type Upgrade } from './http-listener.ts'

/** Other server that a websocket is passed on to. */
export interface RelayTarget {
  /** `wss://host:port/path`, `ws://` on loopback. */
  readonly url: string
  /** Certificates of authorities that sign its certificate, in PEM. Default: Node's authorities. */
  readonly ca?: string
}

/** Limits of a connection that is passed on, in ms. */
interface RelayLimits {
  /** Time for the other server to answer; clients wait for 4 s. Default 3,000. */
  readonly answerMs: number
  /** Time without a byte either way, after which the ends count as gone. They ping every 20 s. Default 90,000. */
  readonly silentMs: number
  /** Time for the last bytes to an end when the other is gone. Default 1,000. */
  readonly graceMs: number
}

const usualLimits: RelayLimits = { answerMs: 3_000, silentMs: 90_000, graceMs: 1_000 }

/** Headers of a handshake that are for the server at its end. */
const passedOn = [
  ...['upgrade', 'connection', 'authorization', 'origin'],
  ...['sec-websocket-key', 'sec-websocket-version', 'sec-websocket-extensions', 'sec-websocket-protocol'],
] as const

/** Resolves to the server with an address that a client names; null for an unknown server. */
export type RelayTargetOf = (to: string) => Promise<RelayTarget | null>

/** Websockets that are passed on to other servers, until `close`. */
export interface Relays {
  /** Resolves to the owner of an upgrade with this query, or to the HTTP status that rejects it. */
  ownerOf(query: URLSearchParams): Promise<TakeStream | number>
  close(): void
}

export function createRelays(targetOf: RelayTargetOf, limits: Partial<RelayLimits> = {}): Relays {
  const open = new Set<Duplex>()
  let isClosed = false
  return {
    async ownerOf(query) {
      const target = await targetOf(query.get('to') ?? '')
      if (target === null) return 404
      return {
        takeStream(upgrade) {
          const { stream } = upgrade
          // The lookup of the target may have outlasted the relays.
          if (isClosed) return void stream.destroy()
          open.add(stream)
          stream.once('close', () => open.delete(stream))
          relayUpgrade(upgrade, target, limits)
        },
      }
    },
    close() {
      isClosed = true
      for (const stream of open) stream.destroy()
    },
  }
}

/**
 * Passes an upgrade on to another server, and then every byte in both directions: the ends handshake, judge tokens,
 * ping and hold back as on a direct connection. Answers with the status of a rejection, or 502.
 */
function relayUpgrade(
  { request, stream, head }: Upgrade,
  { url, ca }: RelayTarget,
  given: Partial<RelayLimits> = {},
): void {
  const { answerMs, silentMs, graceMs } = { ...usualLimits, ...given }
  const { protocol, hostname, port, pathname } = new URL(url)
  const open = protocol === 'wss:' ? secureRequest : plainRequest
  const onward = open({
    ...{ hostname: hostname.replace(/^\[|\]$/g, ''), port, path: pathname, agent: false },
    headers: headersOf(request.headers),
    ...(ca === undefined ? {} : { ca }),
  })
  // Node's `timeout` counts pauses of a connection, which an open websocket may have.
  const late = setTimeout(() => onward.destroy(), answerMs)
  onward.on('upgrade', (response, far, farHead) => {
    clearTimeout(late)
    // Either end may go at any time, and an unhandled `error` event would end the process.
    far.on('error', () => {})
    // A stream that is paused for a stuck end does not report its reset.
    far.setTimeout(silentMs, () => far.destroy())
    join(stream, far, graceMs)
    stream.write(headOf(response))
    stream.write(farHead)
    far.write(head)
  })
  onward.on('response', ({ statusCode = 502 }) => {
    rejectUpgrade(stream, statusCode)
    onward.destroy()
  })
  onward.on('error', () => rejectUpgrade(stream, 502))
  onward.on('close', () => clearTimeout(late))
  stream.on('close', () => onward.destroy())
  onward.end()
}

function headersOf(given: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = given[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
}

function headOf({ statusCode = 101, rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}`]
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** Connects two streams. When one has ended, the other gets its last bytes for a limited time; no websocket is half open. */
function join(one: Duplex, other: Duplex, graceMs: number): void {
  let isOver = false
  const leave = () => {
    if (isOver) return
    isOver = true
    const expired = setTimeout(() => {
      one.destroy()
      other.destroy()
    }, graceMs)
    const ended = [one, other].map((stream) => new Promise((resolve) => stream.once('close', resolve)))
    void Promise.all(ended).then(() => clearTimeout(expired))
  }
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to)
    from.once('end', leave)
    from.once('close', () => {
      to.end()
      leave()
    })
  }
}
