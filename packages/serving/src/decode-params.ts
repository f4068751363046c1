import { invalidParams } from '@parley/rpc'
import type * as z from 'zod'

/** Returns the parameters as `schema` decodes them. Throws `invalidParams` that names the first field at fault. */
export function decodeParams(method: string, schema: z.ZodType, params: unknown): unknown {
  const parsed = schema.safeParse(params ?? {})
  if (parsed.success) return parsed.data
  const { field, problem } = firstFault(parsed.error)
  throw invalidParams(`${method}: ${field === '' ? '' : `${field}: `}${problem}.`, field)
}

/** Returns the path of the first field that does not fit, such as `input[0].text`, and its problem. */
function firstFault(error: z.ZodError): { readonly field: string; readonly problem: string } {
  const issue = error.issues[0]
  return { field: fieldPath(issue?.path ?? []), problem: issue?.message ?? 'not valid' }
}

function fieldPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text === '' ? String(key) : `${text}.${String(key)}`),
    '',
  )
}
