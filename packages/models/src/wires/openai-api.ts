import { isRecord, type JsonRecord, parseRecord, stringAt } from './json.ts'
import type { ImagePart } from '../port/model-client.ts'

/** What a provider said went wrong, in whatever shape it said it. */
export interface ProviderError {
  readonly message: string
  readonly code: string
  readonly kind: string
  readonly status?: number
}

const MAX_MESSAGE_CHARS = 400

/** `{error:{…}}`, `{error:"…"}`, `{message}`, `{detail}`, `[{error}]` and plain text are all in use. */
export function readErrorBody(body: string): ProviderError {
  const record = parseRecord(body) ?? parseRecord(body.trim().replace(/^\[|\]$/g, ''))
  if (record !== undefined) return readErrorRecord(record)
  return { message: looksLikeHtml(body) ? '' : clip(body), code: '', kind: '' }
}

export function readErrorRecord(record: JsonRecord): ProviderError {
  const inner = record['error']
  const error = isRecord(inner) ? inner : record
  const message =
    stringAt(error, 'message') ?? stringAt(record, 'error') ?? stringAt(record, 'message') ?? detailOf(record)
  const code = error['code'] ?? record['code']
  return {
    message: clip(message ?? ''),
    code: typeof code === 'string' ? code : '',
    kind: stringAt(error, 'type') ?? '',
    ...statusOf(code),
  }
}

/** Gateways put the HTTP status of the provider behind them into `code`. */
function statusOf(code: unknown): { status?: number } {
  const status = typeof code === 'string' && /^[45]\d\d$/.test(code) ? Number(code) : code
  return typeof status === 'number' && status >= 400 && status < 600 ? { status } : {}
}

function detailOf(record: JsonRecord): string | undefined {
  const detail = record['detail']
  return typeof detail === 'string' || detail === undefined ? detail : JSON.stringify(detail)
}

function looksLikeHtml(body: string): boolean {
  return /^\s*</.test(body)
}

function clip(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > MAX_MESSAGE_CHARS ? `${line.slice(0, MAX_MESSAGE_CHARS)}…` : line
}

/** An image as both wires take it: within the request. */
export function dataUrl({ mediaType, base64 }: ImagePart): string {
  return `data:${mediaType};base64,${base64}`
}
