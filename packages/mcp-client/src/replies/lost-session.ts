import { ProtocolError, SdkError, SdkHttpError } from '@modelcontextprotocol/client'

/** Statuses for a lost session, by the standard and by servers that follow HTTP alone. */
const goneStatuses = [404, 410]
/** Code of servers for an unknown session; some also send it for a request that took too long. */
const sessionCode = -32_001

/** Words of servers that have forgotten a session, or never saw its `initialize`. */
const sessionWords = [
  /\bsessions?\b.{0,60}\b(?:not|unknown|invalid|expired|terminated|closed|ended|required|missing|gone|lost|no longer)\b/is,
  /\b(?:no|unknown|invalid|missing|expired|stale|bad)\b.{0,20}\bsession/is,
  /\b(?:server|client|session|connection|transport)(?: (?:is|was|has))?(?: not|n't)(?: been)?(?: yet)? initiali[sz]ed/i,
  /^(?:bad request: ?)?not (?:yet )?initiali[sz]ed/i,
  /\bbefore initiali[sz](?:ation|ing|ed)\b/i,
  /\bre-?initiali[sz]e\b/i,
]

/** Tells if an error of a server speaks of a session or an initialisation that it does not know. */
export function speaksOfSession(message: string): boolean {
  return sessionWords.some((words) => words.test(message))
}

/**
 * Tells if an endpoint no longer knows the session. The standard says 404; many servers answer another status, or 200
 * with an error. A refused key does not count: a new session would be refused as well.
 */
export function isLostSession(error: unknown): boolean {
  if (SdkHttpError.isInstance(error)) return isLostStatus(error.status ?? 0, error.message)
  if (!ProtocolError.isInstance(error)) return false
  if (error.code === sessionCode) return !/tim(?:ed?|ing)[ -]?out/i.test(error.message)
  return speaksOfSession(error.message)
}

function isLostStatus(status: number, message: string): boolean {
  if (status === 401) return false
  if (goneStatuses.includes(status)) return true
  const isClientFault = status >= 400 && status < 500
  return isClientFault ? /session|initiali[sz]/i.test(message) : status >= 500 && speaksOfSession(message)
}

/** Explains an error of the SDK to people, with advice where there is some. */
export function explainFailure(error: unknown): string {
  if (SdkHttpError.isInstance(error) && (error.status === 401 || error.status === 403))
    return `it rejected the request (HTTP ${error.status}): set bearer_token_env_var or http_headers, or log in: parley mcp login NAME`
  if (SdkError.isInstance(error) && error.code === 'REQUEST_TIMEOUT') return 'it did not answer in time'
  if (isMisformed(error)) return 'its answer is not valid MCP'
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return error instanceof Error ? `${error.message}${cause}` : String(error)
}

/** Tells if an error of the SDK lists the faults that its schemas find in an answer. */
function isMisformed(error: unknown): boolean {
  return (
    (SdkError.isInstance(error) && error.code === 'INVALID_RESULT') ||
    (error instanceof Error && 'issues' in error && Array.isArray(error.issues))
  )
}
