import { join } from 'node:path'
import { ConfigError } from '@parley/config'
import { fileStamp, NotPrivateError, readPrivateFile } from '@parley/host'
import { makeFolders, nodeFiles, replaceSynced } from '@parley/journal'
import { errorCode } from '@parley/text'
import { asCredential, type Credential, type CredentialName } from './credential.ts'

/** Credential that lies in the file, or a note that the keyring has it. */
type FileEntry =
  | { readonly keptIn: 'file'; readonly credential: Credential }
  | { readonly keptIn: 'keyring'; readonly kind: Credential['kind'] }

export type FileEntries = ReadonlyMap<CredentialName, FileEntry>

const version = 1
const shownPath = '$PARLEY_HOME/credentials.json'

function credentialFilePath(home: string): string {
  return join(home, 'credentials.json')
}

let newest: { readonly path: string; readonly stamp: string; readonly entries: FileEntries } | null = null

/**
 * Reads the file of credentials; empty where it is missing. Throws `ConfigError` for a damaged file, and for one that
 * other users can read: its credentials are not used.
 */
export function readCredentialFile(home: string): FileEntries {
  const path = credentialFilePath(home)
  const stamp = stampOf(path)
  if (stamp === null) return new Map()
  if (newest?.path === path && newest.stamp === stamp) return newest.entries
  const entries = parseEntries(readPrivately(path))
  newest = { path, stamp, entries }
  return entries
}

/** Replaces the file, which only this user can read. Called by one process at a time. Rejects with `StorageError`. */
export async function writeCredentialFile(home: string, entries: FileEntries): Promise<void> {
  makeFolders(nodeFiles, home)
  removeTorn(home)
  const content = { version, entries: { ...unknownEntries(home), ...Object.fromEntries(entries) } }
  await replaceSynced(nodeFiles, credentialFilePath(home), `${JSON.stringify(content, null, 2)}\n`)
}

/** Returns the entries of the file that only another version of this program can read. */
function unknownEntries(home: string): object {
  const path = credentialFilePath(home)
  if (stampOf(path) === null) return {}
  const known = readCredentialFile(home)
  const entries = rawEntries(readPrivately(path))
  return Object.fromEntries(entries.filter(([name]) => !isCredentialName(name) || !known.has(name)))
}

/** Removes the temporary file of a process that was killed while it wrote: a key in it would outlive its logout. */
function removeTorn(home: string): void {
  const torn = nodeFiles.list(home).filter((name) => /^credentials\.json\..+\.tmp$/.test(name))
  for (const name of torn) nodeFiles.remove(join(home, name))
}

function stampOf(path: string): string | null {
  try {
    return fileStamp(path)
  } catch (error) {
    throw unreadable(error)
  }
}

/** Builds the error for a file that the system does not give, which is its cause. */
function unreadable(error: unknown): ConfigError {
  return new ConfigError(shownPath, `cannot be read (${errorCode(error) ?? 'unknown error'}).`, { cause: error })
}

function readPrivately(path: string): string {
  try {
    return readPrivateFile(path)
  } catch (error) {
    if (!(error instanceof NotPrivateError)) throw unreadable(error)
    const noFile = 'is no file. Move it away and log in again: parley login'
    throw new ConfigError(shownPath, error.reason === 'noFile' ? noFile : error.message)
  }
}

function rawEntries(text: string): [string, unknown][] {
  const file = parseFile(text)
  const entries: unknown = 'entries' in file ? file.entries : null
  if (typeof entries !== 'object' || entries === null) throw damaged()
  return Object.entries(entries)
}

function parseEntries(text: string): FileEntries {
  return new Map(
    rawEntries(text).flatMap(([name, value]) => {
      const entry = entryOf(value)
      return isCredentialName(name) && entry !== null ? [[name, entry] as const] : []
    }),
  )
}

/** Parses the file without a word of its content in the error. */
function parseFile(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || !('version' in value)) throw damaged()
    if (value.version === version) return value
  } catch {
    throw damaged()
  }
  throw new ConfigError(shownPath, 'was written by a newer parley. Update this one.')
}

function damaged(): ConfigError {
  return new ConfigError(shownPath, 'is damaged. Remove it and log in again: parley login')
}

function entryOf(value: unknown): FileEntry | null {
  if (typeof value !== 'object' || value === null || !('keptIn' in value)) return null
  if (value.keptIn === 'keyring') {
    const kind = 'kind' in value && (value.kind === 'oauth' || value.kind === 'mcp') ? value.kind : 'key'
    return { keptIn: 'keyring', kind }
  }
  const credential = 'credential' in value ? asCredential(value.credential) : null
  return credential === null ? null : { keptIn: 'file', credential }
}

function isCredentialName(name: string): name is CredentialName {
  return name.startsWith('provider/') || name.startsWith('mcp/')
}
