import { type ExecMethodName, type ExecMethods, execMethods } from '@parley/protocol/exec'
import { invalidParams } from '@parley/rpc'
import { fieldAtFault } from '../field-at-fault.ts'

/** Parameters as the method's schema knows them, with its defaults, or the error that names the field at fault. */
export function decodeExecParams<Name extends ExecMethodName>(
  method: Name,
  params: unknown,
): ExecMethods[Name]['decoded'] {
  const parsed = execMethods[method].params.safeParse(params ?? {})
  if (parsed.success) return parsed.data as ExecMethods[Name]['decoded'] // narrowed: the schema of this very method made it
  const { field, problem } = fieldAtFault(parsed.error)
  throw invalidParams(`${method}: ${field === '' ? '' : `${field}: `}${problem}.`, field)
}
