import type { CallContext } from '@parley/rpc'
import type * as z from 'zod'
import type { AppSession } from '../threads/session.ts'
import { codexError, decoded } from '../wire/codex-error.ts'

/** Method of the app-server: takes its parameters as they came. */
export type AppMethod = (session: AppSession, params: unknown, context: CallContext) => unknown

/** Makes a method of a handler of decoded parameters. */
export function method<Schema extends z.ZodType>(
  schema: Schema,
  handle: (session: AppSession, params: z.infer<Schema>, context: CallContext) => unknown,
): AppMethod {
  return (session, params, context) => handle(session, decoded(schema, params), context)
}

/** Makes a method that answers the same to whatever parameters. */
export function answers(result: unknown): AppMethod {
  return () => result
}

/** Makes methods that are refused, each with its name before the reason. */
export function refused(names: readonly string[], reason: string): Readonly<Record<string, AppMethod>> {
  const refuse = (name: string) => () => {
    throw codexError(`${name}: ${reason}`)
  }
  return Object.fromEntries(names.map((name) => [name, refuse(name)]))
}
