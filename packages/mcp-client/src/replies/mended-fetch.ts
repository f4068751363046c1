import { isRecord } from '@parley/text'
import { mendJson, type OpenIds } from './mend-message.ts'

/** Returns a `fetch` with answers that hold messages in a form that the SDK reads. */
export function mendedFetch(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init)
    const type = response.headers.get('content-type') ?? ''
    if (!response.ok || response.body === null) return response
    const { status, statusText, headers } = response
    const as = { status, statusText, headers }
    const open = idsIn(init?.body)
    if (type.includes('text/event-stream')) return new Response(mendedEvents(response.body, open), as)
    return /\bjson\b/.test(type) ? new Response(mendJson(await response.text(), open), as) : response
  }
}

function idsIn(body: unknown): OpenIds {
  if (typeof body !== 'string') return new Set()
  const sent: unknown = JSON.parse(body)
  const id = isRecord(sent) ? sent['id'] : undefined
  return new Set(typeof id === 'string' || typeof id === 'number' ? [id] : [])
}

/** Mends the data of events with a message in one line, as all servers write it. */
function mendedEvents(body: NonNullable<Response['body']>, open: OpenIds): ReadableStream<Uint8Array> {
  let rest = ''
  const lines = new TransformStream<string, string>({
    transform(chunk, controller) {
      rest += chunk
      if (!chunk.includes('\n')) return
      const whole = rest.split('\n')
      rest = whole.pop() ?? ''
      controller.enqueue(whole.map((line) => `${mendLine(line, open)}\n`).join(''))
    },
    flush: (controller) => controller.enqueue(mendLine(rest, open)),
  })
  return body.pipeThrough(new TextDecoderStream()).pipeThrough(lines).pipeThrough(new TextEncoderStream())
}

function mendLine(line: string, open: OpenIds): string {
  const [, start = '', data = '', end = ''] = /^(data: ?)(\{.*\})(\r?)$/.exec(line) ?? []
  return start === '' ? line : `${start}${mendJson(data, open)}${end}`
}
