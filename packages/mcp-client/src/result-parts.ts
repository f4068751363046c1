import * as z from 'zod'
import type { CallResult, ResultPart } from './connection-port.ts'

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

/** What `tools/call` answered. A block of a kind that we do not know is told as it is. */
export function callResult(value: unknown): CallResult {
  const { content = [], structuredContent, isError = false } = called.parse(value)
  return { isError, parts: content.map(partOf), structured: structuredContent ?? null }
}

/** What `resources/read` answered. */
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
