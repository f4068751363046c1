import type { MethodName, ParamsOf } from '@parley/protocol'
import { methodParams } from '@parley/protocol/params'
import { invalidParams } from '@parley/rpc'

/** Parameters as the method's schema knows them, or the error that names the field at fault. */
export function decodeParams<Name extends MethodName>(method: Name, params: unknown): ParamsOf<Name> {
  const parsed = methodParams[method].safeParse(params ?? {})
  if (parsed.success) return parsed.data as ParamsOf<Name> // narrowed: the schema of this very method made it
  const issue = parsed.error.issues[0]
  const field = fieldPath(issue?.path ?? [])
  throw invalidParams(`${method}: ${field === '' ? '' : `${field}: `}${issue?.message ?? 'not valid'}.`, field)
}

function fieldPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text === '' ? String(key) : `${text}.${String(key)}`),
    '',
  )
}
