import { isRecord } from '@parley/text'
import type { CallResult, ResultPart } from './connection.ts'

const unknownType = 'application/octet-stream'

/**
 * Reads the result of `tools/call`, where null stands for an absent value. A block of an unknown type becomes its JSON.
 * Throws a sentence for a value of another form.
 */
export function callResult(value: unknown): CallResult {
  const { content, structuredContent, isError } = isRecord(value) ? value : {}
  const parts = typeof content === 'string' ? [textPart(content)] : listIn(content, 'content').map(partOf)
  return { isError: isError === true || isError === 'true', parts, structured: structuredContent ?? null }
}

/** Reads the result of `resources/read`. Throws a sentence for a value of another form. */
export function resourceParts(value: unknown): readonly ResultPart[] {
  const { contents } = isRecord(value) ? value : {}
  return listIn(contents, 'contents').map((one) => (isRecord(one) ? partOfContents(one) : jsonPart(one)))
}

function listIn(value: unknown, name: string): readonly unknown[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value
  throw new Error(
    `it has run, but its answer has ${typeof value === 'object' ? 'an object' : `a ${typeof value}`} as "${name}" instead of a list`,
  )
}

function partOf(value: unknown): ResultPart {
  if (!isRecord(value)) return jsonPart(value)
  const { type, text, data, mimeType, uri, name, resource } = value
  if (type === 'text' && typeof text === 'string') return textPart(text)
  if (typeof data === 'string') return bytesPart(data, mimeType)
  if (isRecord(resource)) return partOfContents(resource)
  if (typeof uri === 'string') return { kind: 'link', uri, name: typeof name === 'string' ? name : uri }
  return jsonPart(value)
}

function partOfContents({ text, blob, mimeType }: Readonly<Record<string, unknown>>): ResultPart {
  return typeof blob === 'string' ? bytesPart(blob, mimeType) : textPart(typeof text === 'string' ? text : '')
}

function textPart(text: string): ResultPart {
  return { kind: 'text', text }
}

function jsonPart(value: unknown): ResultPart {
  return textPart(typeof value === 'string' ? value : JSON.stringify(value))
}

function bytesPart(base64: string, mimeType: unknown): ResultPart {
  return { kind: 'bytes', mediaType: typeof mimeType === 'string' ? mimeType : unknownType, base64 }
}
