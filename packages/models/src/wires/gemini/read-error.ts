import { isRecord } from '@parley/text'
import type { ProviderError } from '../../port/wire.ts'
import { type JsonRecord, recordAt, stringAt } from '../json.ts'
import { errorRecord, readErrorBody, readErrorRecord } from '../openai-api.ts'

/** Reads the body of an error; a body in no known form is quoted as it is. */
export function readGeminiErrorBody(body: string): ProviderError {
  const record = errorRecord(body)
  return record === undefined ? readErrorBody(body) : readGeminiError(record)
}

/** Words of OpenAI for the states of this API. */
const kinds: Readonly<Record<string, string>> = {
  RESOURCE_EXHAUSTED: 'rate_limit_exceeded',
  UNAVAILABLE: 'overloaded',
  UNAUTHENTICATED: 'authentication_error',
  PERMISSION_DENIED: 'permission_error',
}

/** Reads an error record; the wait that it asks for stands in its details. */
export function readGeminiError(record: JsonRecord): ProviderError {
  const error = readErrorRecord(record)
  const inner = recordAt(record, 'error') ?? record
  const details = Array.isArray(inner['details']) ? inner['details'].filter(isRecord) : []
  const wait = details.map((detail) => stringAt(detail, 'retryDelay')).find((delay) => delay !== undefined)
  const isSaid = wait === undefined || /retry in/i.test(error.message)
  const message = isSaid ? error.message : `${error.message} Retry in ${wait}.`
  return { ...error, message, kind: kindOf(error, stringAt(inner, 'status') ?? '', details) }
}

function kindOf({ message }: ProviderError, state: string, details: readonly JsonRecord[]): string {
  if (details.some(({ reason }) => reason === 'API_KEY_INVALID')) return 'invalid_api_key'
  if (state === 'NOT_FOUND' && message.startsWith('models/')) return 'model_not_found'
  if (/input token count .*exceeds/i.test(message)) return 'context_length_exceeded'
  return kinds[state] ?? ''
}
