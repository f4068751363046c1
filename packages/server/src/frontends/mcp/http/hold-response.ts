/** Response whose unread bytes are counted. */
export interface HeldResponse {
  readonly response: Response
  /** Returns the bytes that the client has not read yet. */
  readonly unreadBytes: () => number
}

interface HoldOptions {
  /** Resolves when the connection of the request has ended. */
  readonly closed: Promise<void>
  /** Limit of unread bytes, above which the stream is broken off. */
  readonly limitBytes: number
}

/**
 * Copies the response's body, to count what the client has not read, and cancels it as soon as the connection ends.
 * Otherwise the next write would notice that, and until then the client's new stream would be rejected.
 */
export function holdResponse(response: Response, { closed, limitBytes }: HoldOptions): HeldResponse {
  const { body, status, headers } = response
  if (body === null) return { response, unreadBytes: () => 0 }
  const reader = body.getReader()
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  let unreadBytes = 0
  const release = () => reader.cancel().catch(() => undefined)
  void closed.then(release)
  const take = async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const { value } = next
      unreadBytes += value.length
      const passed = () => {
        unreadBytes -= value.length
      }
      // Not awaited: a slow client is counted, and must not hold up the rest.
      writer.write(value).then(passed, passed)
      if (unreadBytes > limitBytes) throw new Error('the client does not read what it is sent')
    }
    await writer.close()
  }
  take().catch((error: unknown) => Promise.all([writer.abort(error).catch(() => undefined), release()]))
  return { response: new Response(readable, { status, headers }), unreadBytes: () => unreadBytes }
}
