import { getSystemErrorMessage } from 'node:util'
import { RpcError } from '@parley/rpc'
import { errorMessage } from '@parley/text'

/** Failure to reach the environment of a conversation. The message is a sentence for the user and the model. */
export class EnvironmentUnreachableError extends Error {
  override readonly name = 'EnvironmentUnreachableError'
}

/** Refusal of an environment to let ports of its sandbox out. The message is a sentence for the user. */
export class PortRefusedError extends Error {
  override readonly name = 'PortRefusedError'
}

/**
 * Returns true where an exec-server rejected a request, without effect, because another server has the conversation.
 */
export function isEpochOver(error: unknown): boolean {
  return error instanceof RpcError && error.data?.code === 'epochOver'
}

/** Returns a `catch` handler that yields `value`. Throws `EnvironmentUnreachableError` again. */
export function whenUnknown<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (error instanceof EnvironmentUnreachableError) throw error
    return value
  }
}

/** Returns the system's wording ("permission denied") without code, call and path. */
export function systemErrorReason(error: unknown): string {
  if (error instanceof Error && 'errno' in error && typeof error.errno === 'number') {
    return getSystemErrorMessage(error.errno)
  }
  return errorMessage(error)
}

/** Runs a step and ignores its failure. Returns whether it succeeded. */
export async function succeeds(step: () => Promise<unknown>): Promise<boolean> {
  try {
    await step()
    return true
  } catch {
    return false
  }
}
