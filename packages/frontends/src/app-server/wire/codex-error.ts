import { codeOf } from '@parley/client'
import { errorCodes, RpcError } from '@parley/rpc'
import type * as z from 'zod'

/** Builds an error as Codex gives it: nearly all have the same number, and the message says the rest. */
export function codexError(message: string): RpcError {
  return new RpcError(errorCodes.invalidRequest, message)
}

/** Builds the error for parameters that contradict each other, where Codex has a number of its own for it. */
export function codexInvalidParams(message: string): RpcError {
  return new RpcError(errorCodes.invalidParams, message)
}

/** Builds the error of a failure of the system. */
export function codexFailure(message: string): RpcError {
  return new RpcError(errorCodes.internal, message)
}

/** Builds the error that makes clients try again later. */
export function codexOverloaded(): RpcError {
  return new RpcError(errorCodes.serverOverloaded, 'Server overloaded; retry later.')
}

/**
 * Returns an error of the engine as Codex clients know it. An overload keeps its number, which makes clients try again.
 */
export function asCodexError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const code = codeOf(error)
  if (code === 'serverOverloaded') return codexOverloaded()
  if (error instanceof RpcError && code === null) return error
  return code === null ? error : new RpcError(errorCodes.invalidRequest, error.message, { code })
}

/** Decodes parameters. Throws the error that names the first field that is missing or wrong. */
export function decoded<Schema extends z.ZodType>(schema: Schema, params: unknown): z.infer<Schema> {
  if (params === undefined) throw codexError('Invalid request: missing field `params`')
  const parsed = schema.safeParse(params)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const path = issue?.path.map(String).join('.') ?? ''
  const isMissing = issue?.code === 'invalid_type' && issue.message.endsWith('received undefined')
  const where = path === '' ? 'params' : path
  throw codexError(
    isMissing
      ? `Invalid request: missing field \`${where}\``
      : `Invalid request: ${where}: ${issue?.message ?? 'not valid'}`,
  )
}
