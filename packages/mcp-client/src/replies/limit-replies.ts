import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { isMessage, mendMessage, ownCode } from './mend-message.ts'

/** Largest message of a server. Parsing, redacting and storing one takes several times its size for a moment. */
export const maxMessageBytes = 8 * 1024 * 1024
/** Most notifications and questions within a second; further ones are dropped. */
const maxUnasked = 1000
const windowMs = 1000

export const tooLarge = `its answer has more than ${maxMessageBytes / 1024 / 1024} MiB, the limit for one`
const tooMany = `it sent more than ${maxUnasked} notifications within a second`

/** Ends requests that wait for an answer: the request with its id in `beginning`, or all of them. */
export type Refuse = (why: string, beginning?: string) => void

/**
 * Limits the messages that a server may send over the transport, which is changed in place. Returns a function that
 * answers open requests with an error at once; their real answers are not read.
 */
export function limitReplies(transport: Transport): Refuse {
  const open = new Set<string | number>()
  const countUnasked = countWithin(windowMs)
  const send = transport.send.bind(transport)
  const start = transport.start.bind(transport)
  const refuse: Refuse = (why, beginning = '') => {
    const named = [...open].filter((id) => beginning.includes(`"id":${JSON.stringify(id)},`))
    for (const id of named.length > 0 ? named : [...open]) {
      open.delete(id)
      transport.onmessage?.({ jsonrpc: '2.0', id, error: { code: ownCode, message: why } })
    }
  }
  transport.send = (message, options) => {
    if ('method' in message && 'id' in message) open.add(message.id)
    return send(message, options)
  }
  transport.start = () => {
    const receive = transport.onmessage
    transport.onmessage = (written, extra) => {
      const mended = mendMessage(written, open)
      const message = isMessage(mended) ? mended : written
      const nth = isUnasked(message) ? countUnasked() : 0
      if (nth === maxUnasked + 1) refuse(tooMany)
      if (nth > maxUnasked) return
      if (nth === 0 && 'id' in message && message.id !== undefined) open.delete(message.id)
      receive?.(message, extra)
    }
    return start()
  }
  return refuse
}

/** Returns a function that counts its calls within the current window of this length. */
function countWithin(lengthMs: number): () => number {
  let sinceMs = 0
  let count = 0
  return () => {
    const nowMs = performance.now()
    if (nowMs - sinceMs > lengthMs) {
      sinceMs = nowMs
      count = 0
    }
    count += 1
    return count
  }
}

export function isUnasked(message: JSONRPCMessage): boolean {
  return 'method' in message
}

/** Returns a `fetch` that reads an answer up to the limit, and calls `onTooLarge` at once beyond it. */
export function limitedFetch(send: typeof fetch, onTooLarge: () => void): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init)
    if (response.body === null) return response
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true
    const body = response.body.pipeThrough(limiter(isStream, onTooLarge))
    const { status, statusText, headers } = response
    return new Response(body, { status, statusText, headers })
  }
}

/** Ends a body with an error beyond the limit, which counts anew for each event of a stream. */
function limiter(isStream: boolean, onTooLarge: () => void): TransformStream<Uint8Array, Uint8Array> {
  let size = 0
  return new TransformStream({
    transform(chunk, controller) {
      const end = isStream ? endOfEvent(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)) : 0
      size = end > 0 ? chunk.length - end : size + chunk.length
      if (size <= maxMessageBytes) return controller.enqueue(chunk)
      controller.error(new Error(tooLarge))
      onTooLarge()
    },
  })
}

/** Returns the offset behind the last blank line of a chunk; 0 without one. */
function endOfEvent(chunk: Buffer): number {
  const [plain, windows] = [chunk.lastIndexOf('\n\n'), chunk.lastIndexOf('\r\n\r\n')]
  return Math.max(plain < 0 ? 0 : plain + 2, windows < 0 ? 0 : windows + 4)
}
