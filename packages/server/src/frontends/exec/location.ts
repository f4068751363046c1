import { isAbsolute, normalize } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { invalidParams } from '@parley/rpc'

/** An absolute path or a `file:` URI as a path. */
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
