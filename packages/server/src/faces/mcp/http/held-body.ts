/** A response as a client reads it. */
export interface HeldResponse {
  readonly response: Response
  /** Bytes that the client has yet to read. */
  readonly unreadBytes: () => number
}

interface Options {
  /** The connection of the request has ended. */
  readonly closed: Promise<void>
  /** A client that leaves more unread loses the stream; it knows where to go on. */
  readonly limitBytes: number
}

/**
 * The response, whose body is taken as it comes, so that what a client leaves unread is known, and cancelled as soon as its
 * connection is gone. Otherwise that would be noticed at the next write only, and until then the client's new stream be
 * refused for the old one's sake.
 */
export function heldResponse(response: Response, { closed, limitBytes }: Options): HeldResponse {
  const { body: source, status, headers } = response
  if (source === null) return { response, unreadBytes: () => 0 }
  const reader = source.getReader()
  const cancel = () => reader.cancel().catch(() => undefined)
  void closed.then(cancel)
  const { promise: started, resolve: start } = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>()
  const strategy = new ByteLengthQueuingStrategy({ highWaterMark: 0 })
  const body = new ReadableStream<Uint8Array>({ start, cancel }, strategy)
  let unreadBytes = () => 0

  async function take(): Promise<void> {
    const held = await started
    unreadBytes = () => -(held.desiredSize ?? 0)
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      held.enqueue(next.value)
      if (unreadBytes() > limitBytes) throw new Error('the client does not read what it is sent')
    }
    held.close()
  }

  take().catch(async (error: unknown) => {
    const held = await started
    // Already closed when the client has gone.
    held.error(error)
    await cancel()
  })
  return { response: new Response(body, { status, headers }), unreadBytes: () => unreadBytes() }
}
