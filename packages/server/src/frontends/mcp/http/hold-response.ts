/** A response as its client reads it. */
export interface HeldResponse {
  readonly response: Response
  /** Bytes that the client has yet to read. */
  readonly unreadBytes: () => number
}

interface HoldOptions {
  /** The connection of the request has ended. */
  readonly closed: Promise<void>
  /** A client that leaves more than this unread loses the stream. */
  readonly limitBytes: number
}

/**
 * The response with a body that is taken as it comes, so that what the client leaves unread is known, and that is
 * cancelled as soon as its connection is gone. Otherwise that would be noticed at the next write only, and until then the
 * client's new stream be refused for the old one's sake.
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
      // Who does not read is counted, not waited for.
      writer.write(value).then(passed, passed)
      if (unreadBytes > limitBytes) throw new Error('the client does not read what it is sent')
    }
    await writer.close()
  }
  take().catch((error: unknown) => Promise.all([writer.abort(error).catch(() => undefined), release()]))
  return { response: new Response(readable, { status, headers }), unreadBytes: () => unreadBytes }
}
