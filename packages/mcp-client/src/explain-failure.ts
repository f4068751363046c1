import { SdkError, SdkHttpError } from '@modelcontextprotocol/client'

/** An endpoint that was started anew. The standard wants 404 then; many answer 400. */
export function isLostSession(error: unknown): boolean {
  if (!SdkHttpError.isInstance(error)) return false
  return error.status === 404 || (error.status === 400 && /session/i.test(error.message))
}

/** The SDK's own texts, with what a user can do where we know. */
export function explainFailure(error: unknown): string {
  if (SdkHttpError.isInstance(error) && (error.status === 401 || error.status === 403))
    return `it refused us (HTTP ${error.status}): set bearer_token_env_var or http_headers`
  if (SdkError.isInstance(error) && error.code === 'REQUEST_TIMEOUT') return 'it did not answer in time'
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return error instanceof Error ? `${error.message}${cause}` : String(error)
}
