/**
 * The response, whose body is cancelled as soon as its connection is gone. Otherwise that would be noticed at the next
 * write only, and until then the client's new stream be refused for the old one's sake.
 */
export function endWithConnection(response: Response, closed: Promise<void>): Response {
  if (response.body === null) return response
  const reader = response.body.getReader()
  void closed.then(() => reader.cancel().catch(() => undefined))
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: () => reader.cancel(),
  })
  const { status, headers } = response
  return new Response(body, { status, headers })
}
