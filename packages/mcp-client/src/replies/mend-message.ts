import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { isRecord } from '@parley/text'
import { isDeeper, maxDepth } from './without-nulls.ts'

type MessageFields = Readonly<Record<string, unknown>>

/** Code of the errors that parley makes of a malformed answer. */
export const ownCode = -32_000

/** Ids of the requests that wait for an answer. */
export type OpenIds = ReadonlySet<string | number>

/**
 * Returns a message of a server in a form that the SDK reads; the same value if it is in this form. Null stands for an
 * absent value, an answer of another form becomes an error in words, and an answer without an id belongs to the only
 * open request.
 */
export function mendMessage(value: unknown, open: OpenIds): unknown {
  if (Array.isArray(value)) return value.map((one) => mendMessage(one, open))
  if (!isRecord(value) || value['jsonrpc'] !== '2.0') return value
  if (typeof value['method'] === 'string') return hasNull(value) ? withoutNullFields(value) : value
  return mendAnswer(value, open)
}

function mendAnswer(answer: MessageFields, open: OpenIds): unknown {
  const id = idOf(answer, open)
  if (id === undefined) return answer
  const { error, result } = answer
  const isPlain = id === answer['id'] && Object.keys(answer).length === 3
  if (error !== undefined && error !== null)
    return isPlain && isInForm(error) ? answer : { jsonrpc: '2.0', id, error: mendError(error) }
  if (!isRecord(result)) return { jsonrpc: '2.0', id, error: { code: ownCode, message: noResult(result) } }
  const mended = mendResult(result)
  return isPlain && mended === result ? answer : { jsonrpc: '2.0', id, result: mended }
}

function isInForm(error: unknown): boolean {
  return (
    isRecord(error) && Number.isInteger(error['code']) && typeof error['message'] === 'string' && error['data'] !== null
  )
}

function idOf({ id }: MessageFields, open: OpenIds): string | number | undefined {
  if (typeof id === 'string' || typeof id === 'number') return id
  return open.size === 1 ? [...open][0] : undefined
}

function mendError(error: unknown): MessageFields {
  const { code, message, data } = isRecord(error) ? error : {}
  return {
    code: typeof code === 'number' && Number.isInteger(code) ? code : ownCode,
    message: typeof message === 'string' ? message : wordsOf(error),
    ...(data === undefined || data === null ? {} : { data }),
  }
}

const shownLength = 500

function wordsOf(error: unknown): string {
  if (isDeeper(error, maxDepth)) return 'it failed, and its error is nested too deeply'
  return (typeof error === 'string' ? error : JSON.stringify(error)).slice(0, shownLength)
}

function noResult(result: unknown): string {
  const what =
    result === undefined || result === null ? 'nothing' : `a ${Array.isArray(result) ? 'list' : typeof result}`
  return `its answer is not valid MCP: it has ${what} where its result belongs`
}

/** Server without a name; the name is never shown. */
const nameless = { name: 'unnamed', version: '0' }

/** Mends the values that the SDK checks: the answer to `initialize`, and the remarks on any other. */
function mendResult(result: MessageFields): MessageFields {
  if ('protocolVersion' in result && 'capabilities' in result) return mendGreeting(withoutNullFields(result))
  if (result['_meta'] !== null) return result
  const { _meta, ...rest } = result
  return rest
}

function mendGreeting({ serverInfo, ...greeting }: MessageFields): MessageFields {
  return { ...greeting, serverInfo: isRecord(serverInfo) ? { ...nameless, ...serverInfo } : nameless }
}

function hasNull(value: unknown, levels = maxDepth): boolean {
  if (value === null) return true
  return typeof value === 'object' && levels > 0 && Object.values(value).some((inner) => hasNull(inner, levels - 1))
}

/** Drops nulls down to the levels that are read of a message. */
function withoutNullFields(fields: MessageFields, levels = maxDepth): MessageFields {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      if (value === null) return []
      return [[name, isRecord(value) && levels > 0 ? withoutNullFields(value, levels - 1) : value]]
    }),
  )
}

/** Checks the JSON-RPC version only; the SDK validates the message. */
export function isMessage(value: unknown): value is JSONRPCMessage {
  return isRecord(value) && value['jsonrpc'] === '2.0'
}

/** Mends the JSON of a message; returns the same text if it is not JSON. */
export function mendJson(text: string, open: OpenIds): string {
  try {
    const value: unknown = JSON.parse(text)
    const mended = mendMessage(value, open)
    return mended === value ? text : JSON.stringify(mended)
  } catch {
    return text
  }
}
