import { chmodSync, lstatSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** Where this user's sockets live, or why there is no such place. */
export type RunFolder = { readonly path: string } | { readonly problem: string }

interface Place {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly uid: number
  /** `/tmp`, but for tests. */
  readonly shared?: string
}

/**
 * `$XDG_RUNTIME_DIR/parley`, else `/tmp/parley-UID`; made when missing, 0700. Whoever can put a file there can pose as a
 * server, so a link, or a folder of somebody else, is refused.
 */
export function makeRunFolder(place: Place): RunFolder {
  let found: RunFolder = { problem: 'there is no place for it' }
  for (const path of runFolders(place)) {
    found = privateFolder(path, place.uid)
    if ('path' in found) break
  }
  return found
}

/** Where it may be, the best first. Whoever reaches a socket in it can answer the questions of its server. */
export function runFolders({ env, uid, shared = '/tmp' }: Place): readonly string[] {
  const runtime = env['XDG_RUNTIME_DIR'] ?? ''
  return [...(runtime === '' ? [] : [join(runtime, 'parley')]), join(shared, `parley-${uid}`)]
}

function privateFolder(path: string, uid: number): RunFolder {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) return { problem: `${path} cannot be made (${codeOf(error)})` }
  }
  const facts = lstatSync(path, { throwIfNoEntry: false })
  if (facts === undefined || !facts.isDirectory()) return { problem: `${path} is no folder` }
  if (facts.uid !== uid) return { problem: `${path} belongs to another user` }
  if ((facts.mode & 0o077) !== 0) chmodSync(path, 0o700)
  return { path }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}

/** Of the user of this process. */
export function ownRunFolders(env: Place['env']): readonly string[] {
  return runFolders({ env, uid: process.getuid?.() ?? 0 })
}
