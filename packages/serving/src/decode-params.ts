import { invalidParams } from '@parley/rpc'
import type * as z from 'zod'

/** Returns the parameters as `schema` decodes them. Throws `invalidParams` that names the first field at fault. */
export function decodeParams(method: string, schema: z.ZodType, params: unknown): unknown {
  const parsed = schema.safeParse(params ?? {})
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const field = fieldPath(issue?.path ?? [])
  throw invalidParams(`${method}: ${field === '' ? '' : `${field}: `}${issue?.message ?? 'not valid'}.`, field)
}

/** Returns the path of a field as people write it, such as `input[0].text`. */
function fieldPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text === '' ? String(key) : `${text}.${String(key)}`),
    '',
  )
}
