import type { Client } from '@modelcontextprotocol/client'
import * as z from 'zod'
import type { CallResult, ResultPart, ServerResource, ServerTool } from './connection.ts'
import { maxMessageBytes } from './reply-limits.ts'

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
