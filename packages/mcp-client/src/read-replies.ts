import type { Client, JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import * as z from 'zod'
import type { CallResult, ResultPart, ServerResource, ServerTool } from './connection.ts'

/** Largest message of a server. Parsing, redacting and storing one takes several times its size for a moment. */
export const maxMessageBytes = 8 * 1024 * 1024
/** Most notifications and questions within a second; what is beyond is dropped. */
const maxUnasked = 1000
const windowMs = 1000

export const tooLarge = `its answer has more than ${maxMessageBytes / 1024 / 1024} MiB, the limit for one`
const tooMany = `it sent more than ${maxUnasked} notifications within a second`

/** Ends what waits for an answer; `beginning` of the answer names the request, if its id stands there. */
export type Refuse = (why: string, beginning?: string) => void

/**
 * Limits what a server may send over the transport, which is changed in place. Returns a function that answers open
 * requests with an error at once, whose answers will not be read.
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
      transport.onmessage?.({ jsonrpc: '2.0', id, error: { code: refused, message: why } })
    }
  }
  transport.send = (message, options) => {
    if ('method' in message && 'id' in message) open.add(message.id)
    return send(message, options)
  }
  transport.start = () => {
    const receive = transport.onmessage
    transport.onmessage = (message, extra) => {
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

/** Returns a function that counts its calls since the window began, which is anew after its time. */
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

/** Code of an error that the server did not send. */
const refused = -32_000

export function isUnasked(message: JSONRPCMessage): boolean {
  return 'method' in message
}

/** Returns a `fetch` that reads no more of an answer than the limit, and calls `onTooLarge` at once where there is more. */
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

/** Ends a body with an error beyond the limit; of a stream of events each may have as much. */
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

/** Limit of pages of a list, for servers whose list never ends. */
const maxPages = 100

const toolShape = z.looseObject({
  name: z.string().min(1),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.record(z.string(), z.unknown()).optional(),
})
const resourceShape = z.looseObject({
  uri: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
})

/** Reads a tool; empty for an invalid one, so that the others of its list remain. */
export function toolOf(value: unknown): ServerTool[] {
  const parsed = toolShape.safeParse(value)
  if (!parsed.success) return []
  const { name, title = null, description = '', inputSchema = {} } = parsed.data
  return [{ name, title, description, inputSchema }]
}

/** Reads a resource; empty for an invalid one. */
export function resourceOf(value: unknown): ServerResource[] {
  const parsed = resourceShape.safeParse(value)
  if (!parsed.success) return []
  const { uri, name = uri, description = '', mimeType = null } = parsed.data
  return [{ uri, name, description, mimeType }]
}

/** Requests all pages of `tools/list` or `resources/list`. */
export async function pages(
  client: Client,
  list: 'tools' | 'resources',
  options: { timeout: number; signal?: AbortSignal },
): Promise<readonly unknown[]> {
  const all: unknown[] = []
  let cursor: string | undefined
  let size = 0
  for (let page = 0; page < maxPages; page += 1) {
    const params = cursor === undefined ? {} : { cursor }
    const result = await client.request({ method: `${list}/list`, params }, listShape, options)
    const found = result[list]
    if (Array.isArray(found)) all.push(...found)
    size += JSON.stringify(found ?? []).length
    if (size > maxMessageBytes)
      throw new Error(`its list has more than ${maxMessageBytes / 1024 / 1024} MiB, the limit for one`)
    cursor = result.nextCursor
    if (cursor === undefined) break
  }
  return all
}

const listShape = z.looseObject({ nextCursor: z.string().optional() })

const contents = z.looseObject({
  uri: z.string().optional(),
  mimeType: z.string().optional(),
  text: z.string().optional(),
  blob: z.string().optional(),
})
const block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  data: z.string().optional(),
  mimeType: z.string().optional(),
  uri: z.string().optional(),
  name: z.string().optional(),
  resource: contents.optional(),
})
const called = z.looseObject({
  content: z.array(z.unknown()).optional(),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
})
const read = z.looseObject({ contents: z.array(contents).optional() })

const unknownType = 'application/octet-stream'

/** Reads the result of `tools/call`. A block of an unknown type becomes its JSON. */
export function callResult(value: unknown): CallResult {
  const { content = [], structuredContent, isError = false } = called.parse(value)
  return { isError, parts: content.map(partOf), structured: structuredContent ?? null }
}

/** Reads the result of `resources/read`. */
export function resourceParts(value: unknown): readonly ResultPart[] {
  return (read.parse(value).contents ?? []).map(partOfContents)
}

function partOf(value: unknown): ResultPart {
  const parsed = block.safeParse(value)
  if (!parsed.success) return { kind: 'text', text: JSON.stringify(value) }
  const { type, text, data, mimeType = unknownType, uri, name, resource } = parsed.data
  if (type === 'text' && text !== undefined) return { kind: 'text', text }
  if (data !== undefined) return { kind: 'bytes', mediaType: mimeType, base64: data }
  if (resource !== undefined) return partOfContents(resource)
  if (uri !== undefined) return { kind: 'link', uri, name: name ?? uri }
  return { kind: 'text', text: JSON.stringify(value) }
}

function partOfContents({ text, blob, mimeType = unknownType }: z.infer<typeof contents>): ResultPart {
  return blob === undefined ? { kind: 'text', text: text ?? '' } : { kind: 'bytes', mediaType: mimeType, base64: blob }
}
