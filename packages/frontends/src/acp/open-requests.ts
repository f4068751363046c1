import type { AnyMessage, Stream } from '@agentclientprotocol/sdk'

/** Open requests that a client may have; their answers wait in memory while it does not read. */
const mostOpen = 1_000

/** Ends the stream of a client with too many unanswered requests. */
export function limitOpenRequests({ readable, writable }: Stream): Stream {
  let open = 0
  const incoming = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if ('method' in message && 'id' in message) open++
      if (open > mostOpen) controller.error(new RangeError(`the client has more than ${mostOpen} open requests`))
      else controller.enqueue(message)
    },
  })
  const outgoing = new WritableStream<AnyMessage>({
    async write(message) {
      const writer = writable.getWriter()
      try {
        await writer.write(message)
      } finally {
        writer.releaseLock()
      }
      if (!('method' in message)) open--
    },
  })
  return { readable: readable.pipeThrough(incoming), writable: outgoing }
}
