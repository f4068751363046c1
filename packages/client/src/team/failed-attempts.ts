import { ConnectError } from '@parley/rpc'
import { ClientError, rejectedToken } from '../connection/errors.ts'

/** Failures by the addresses that were tried. */
export type FailedAttempts = ReadonlyMap<string, unknown>

/** Returns true where a server answers that it does not accept the token. */
export function isRejection(error: unknown): boolean {
  return error instanceof ConnectError && error.reason === 'refused'
}

/** Returns true where all servers answer that they do not accept the token: trying again changes nothing. */
export function areRejections(failures: FailedAttempts): boolean {
  return [...failures.values()].every(isRejection)
}

/** Returns the error for servers that all failed: `accessEnded` where all reject the token, else `serverUnreachable`. */
export function failedConnection(failures: FailedAttempts): ClientError {
  const words = failuresText(failures)
  return areRejections(failures) ? rejectedToken(words) : new ClientError('serverUnreachable', `${words}.`)
}

/** Returns why an attempt failed, as a clause without the address; null for an unknown reason. */
export function failureClause(error: unknown): string | null {
  return error instanceof ConnectError ? error.why : null
}

/** Returns the failure at each address, without a full stop. The same failure at several addresses is named once. */
export function failuresText(failures: FailedAttempts): string {
  const alike = Map.groupBy(failures, ([address, error]) => sentenceOf(address, error).replaceAll(address, ''))
  return [...alike.values()]
    .flatMap((attempts) =>
      attempts.slice(0, 1).map(([address, error]) => [sentenceOf(address, error), ...sameAt(attempts)]),
    )
    .map((words) => words.join('; '))
    .join('; ')
}

function sameAt([, ...others]: readonly (readonly [string, unknown])[]): readonly string[] {
  return others.length === 0 ? [] : [`the same at ${others.map(([address]) => address).join(', ')}`]
}

function sentenceOf(address: string, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.includes(address) ? message.replace(/\.$/, '') : `${address}: ${message.replace(/\.$/, '')}`
}
