import { isAbsolute, normalize } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type ExecMethodName, type ExecMethods, type ExecResultOf, execMethods } from '@parley/protocol/exec'
import { type CallContext, invalidParams } from '@parley/rpc'
import { decodeParams } from '../decode-params.ts'

/** Handlers by method; a missing one does not compile. */
export type ExecHandlers = {
  readonly [Name in ExecMethodName]: (
    params: ExecMethods[Name]['decoded'],
    context: CallContext,
  ) => ExecResultOf<Name> | Promise<ExecResultOf<Name>>
}

/** Returns the parameters as the method's schema decodes them. Throws `invalidParams` that names the field at fault. */
export function decodeExecParams<Name extends ExecMethodName>(
  method: Name,
  params: unknown,
): ExecMethods[Name]['decoded'] {
  return decodeParams(method, execMethods[method].params, params) as ExecMethods[Name]['decoded'] // narrowed: decoded by this method's schema
}

/** Returns the path of an absolute path or a `file:` URI. Throws `invalidParams` for any other text. */
export function pathOf(location: string, field: string): string {
  const path = location.startsWith('file:') ? pathOfUri(location, field) : location
  if (!isAbsolute(path)) throw invalidParams(`${field} must be an absolute path or a file: URI`, field)
  if (path.includes('\0')) throw invalidParams(`${field} holds a NUL byte`, field)
  return normalize(path)
}

function pathOfUri(uri: string, field: string): string {
  try {
    return fileURLToPath(uri)
  } catch {
    throw invalidParams(`${field} is not a file: URI of this machine`, field)
  }
}

export function uriOf(path: string): string {
  return pathToFileURL(path).href
}
