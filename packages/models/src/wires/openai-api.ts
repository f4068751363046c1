import { isRecord, parseRecord } from '@parley/text'
import { pathOfSteps } from '../failures/refused-entries.ts'
import type { ImagePart, ListedModel } from '../port/model-client.ts'
import { anySchema, type ToolRules } from '../port/tool-rules.ts'
import type { ProviderError } from '../port/wire.ts'
import { type JsonRecord, recordAt, stringAt } from './json.ts'
import { listedModel } from './listed-model.ts'

/**
 * Rules of both of its APIs: "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top
 * level", "array schema missing items", "… is not a 'regex'".
 */
const toolRules: ToolRules = {
  ...anySchema,
  notAtTop: ['oneOf', 'anyOf', 'allOf', 'enum', 'not'],
  arraysHaveItems: true,
  pythonPatterns: true,
}

/** Parts of `HttpWire` that are the same for every API of OpenAI and of servers compatible with it. */
export const openaiApi = {
  headers: (key: string | undefined): Record<string, string> =>
    key === undefined ? {} : { authorization: `Bearer ${key}` },
  modelsPath: '/models',
  readModels,
  readError: readErrorBody,
  toolRules,
} as const

function readModels(body: string): readonly ListedModel[] | undefined {
  const list = parseRecord(body)?.['data']
  if (!Array.isArray(list)) return undefined
  return list.filter(isRecord).flatMap((model) => {
    const { id } = model
    return typeof id === 'string' ? [listedModel(id, model)] : []
  })
}

const maxMessageChars = 400

/** Reads the body of an error. Servers use `{error:{…}}`, `{error:"…"}`, `{message}`, `{detail}`, `[{error}]` and text. */
export function readErrorBody(body: string): ProviderError {
  const record = errorRecord(body)
  if (record !== undefined) return readErrorRecord(record)
  const isPage = /^\s*</.test(body)
  return { message: isPage ? '' : clip(body), code: '', kind: '' }
}

/** Returns the object of an error, also one that stands in a list; undefined for any other body. */
export function errorRecord(body: string): JsonRecord | undefined {
  return parseRecord(body) ?? parseRecord(body.trim().replace(/^\[|\]$/g, ''))
}

export function readErrorRecord(record: JsonRecord): ProviderError {
  const inner = record['error']
  const error = isRecord(inner) ? inner : record
  const message = [error['message'], inner, record['message'], record['detail'], record['errors'], record['title']]
    .map((value) => wordsOf(value))
    .find((words) => words !== undefined)
  const code = error['code'] ?? record['code']
  return {
    message: clip(message ?? ''),
    code: typeof code === 'string' ? code : '',
    kind: stringAt(error, 'type') ?? '',
    ...statusOf(code),
  }
}

/** Reads the HTTP status of the provider behind a gateway, which the gateway puts into `code`. */
function statusOf(code: unknown): { status?: number } {
  const status = typeof code === 'string' && /^[45]\d\d$/.test(code) ? Number(code) : code
  return typeof status === 'number' && status >= 400 && status < 600 ? { status } : {}
}

/** Most levels of an error that are read. */
const maxLevels = 8

/** Returns the words of what frameworks put beside or in place of a message: a text, an object, or a list with places. */
function wordsOf(value: unknown, levels = maxLevels): string | undefined {
  const inside = (inner: unknown) => (levels === 0 ? undefined : wordsOf(inner, levels - 1))
  if (typeof value === 'string') {
    // Gateways put the whole error of the provider into the message of their own.
    const record = value.startsWith('{') ? parseRecord(value) : undefined
    const inner = record === undefined ? value : inside(recordAt(record, 'error') ?? record)
    return inner === '' ? undefined : (inner ?? value)
  }
  if (Array.isArray(value)) return joined(value.map(inside), '; ')
  if (!isRecord(value)) return undefined
  const place = pathOfSteps(value['loc'])
  const words = ['msg', 'message', 'detail', 'error', 'errors', 'reason'].map((key) => inside(value[key]))
  return joined([place === '' ? undefined : place, words.find((word) => word !== undefined)], ': ')
}

function joined(parts: readonly (string | undefined)[], separator: string): string | undefined {
  const known = parts.filter((part) => part !== undefined)
  return known.length === 0 ? undefined : known.join(separator)
}

function clip(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > maxMessageChars ? `${line.slice(0, maxMessageChars)}…` : line
}

export function dataUrl({ mediaType, base64 }: ImagePart): string {
  return `data:${mediaType};base64,${base64}`
}
