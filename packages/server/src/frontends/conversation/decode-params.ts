import type { MethodName, ParamsOf } from '@parley/protocol'
import { methodParams } from '@parley/protocol/params'
import { invalidParams } from '@parley/rpc'
import { fieldAtFault } from '../field-at-fault.ts'

/** Parameters as the method's schema knows them, or the error that names the field at fault. */
export function decodeParams<Name extends MethodName>(method: Name, params: unknown): ParamsOf<Name> {
  const parsed = methodParams[method].safeParse(params ?? {})
  if (parsed.success) return parsed.data as ParamsOf<Name> // narrowed: the schema of this very method made it
  const { field, problem } = fieldAtFault(parsed.error)
  throw invalidParams(`${method}: ${field === '' ? '' : `${field}: `}${problem}.`, field)
}
