import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ConfigError } from '@parley/config'
import { makeFolders, nodeFiles, StorageError } from '@parley/journal'
import { asCredential, type Credential, type CredentialLocation, type CredentialName } from './credential.ts'
import { type FileEntries, readCredentialFile, writeCredentialFile } from './credential-file.ts'
import type { Keyring } from './keyring.ts'

/** Wanted place of new credentials, as `cli_auth_credentials_store` names it. */
type WantedPlace = 'auto' | CredentialLocation

/** Credentials of one home. Several processes may use it at once. */
export interface CredentialStore {
  /** Returns the kept names with their places, without asking the keyring. Throws `ConfigError`. */
  entries(): FileEntries
  /** Resolves to a credential; null where it is not kept. Throws `ConfigError`, also when the keyring does not answer. */
  read(name: CredentialName): Promise<Credential | null>
  /** Keeps a credential in place of an earlier one. Resolves to its place. */
  keep(name: CredentialName, credential: Credential, wanted: WantedPlace): Promise<CredentialLocation>
  /**
   * Replaces a credential, under a lock, by the result of `change` for the newest one; null leaves it. Resolves to the
   * credential that is kept then, or null.
   */
  update(name: CredentialName, change: Change): Promise<Credential | null>
  /** Resolves to false when it was not kept. */
  remove(name: CredentialName): Promise<boolean>
}

/** Returns the new credential; null leaves the kept one. */
type Change = (kept: Credential) => Promise<Credential | null>

interface StorePorts {
  readonly home: string
  readonly keyring: () => Keyring | null
}

export function createCredentialStore({ home, keyring }: StorePorts): CredentialStore {
  const entries = () => readCredentialFile(home)
  let last: Promise<unknown> = Promise.resolve()

  /** Runs changes of this process one after the other: the lock would make each try of another one wait. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const next = last.then(() => withLock(home, work))
    last = next.catch(() => undefined)
    return next
  }

  async function read(name: CredentialName): Promise<Credential | null> {
    const entry = entries().get(name)
    if (entry === undefined) return null
    if (entry.keptIn === 'file') return entry.credential
    const credential = parsed(await keyring()?.read(name))
    if (credential === null) throw new ConfigError(`keyring (${name})`, silent)
    return credential
  }

  async function put(name: CredentialName, credential: Credential, wanted: WantedPlace): Promise<CredentialLocation> {
    const isInKeyring = wanted !== 'file' && (await keyring()?.write(name, JSON.stringify(credential))) === true
    if (!isInKeyring && wanted === 'keyring') throw new ConfigError('cli_auth_credentials_store', noKeyring)
    const known = entries()
    if (!isInKeyring && known.get(name)?.keptIn === 'keyring') await keyring()?.remove(name)
    const entry = isInKeyring
      ? ({ keptIn: 'keyring', kind: credential.kind } as const)
      : ({ keptIn: 'file', credential } as const)
    await writeCredentialFile(home, new Map([...known, [name, entry]]))
    return entry.keptIn
  }

  async function drop(name: CredentialName): Promise<boolean> {
    const known = entries()
    const entry = known.get(name)
    if (entry === undefined) return false
    // Removed from the keyring first: an entry that nothing names any more would stay there for ever.
    if (entry.keptIn === 'keyring' && (await keyring()?.remove(name)) !== true)
      throw new ConfigError(`keyring (${name})`, silent)
    await writeCredentialFile(home, new Map([...known].filter(([other]) => other !== name)))
    return true
  }

  async function replace(name: CredentialName, change: Change): Promise<Credential | null> {
    const kept = await read(name)
    const changed = kept === null ? null : await change(kept)
    if (changed === null) return kept
    await put(name, changed, entries().get(name)?.keptIn ?? 'auto')
    return changed
  }

  return {
    entries,
    read,
    keep: (name, credential, wanted) => inTurn(() => put(name, credential, wanted)),
    update: (name, change) => inTurn(() => replace(name, change)),
    remove: (name) => inTurn(() => drop(name)),
  }
}

const silent = 'does not answer, or is locked; parley never makes it ask for its password. Unlock it and try again.'
const noKeyring = 'is "keyring", and no unlocked keyring answers here. Unlock it, or set it to "auto" or "file".'

function parsed(text: string | null | undefined): Credential | null {
  try {
    return text === null || text === undefined ? null : asCredential(JSON.parse(text))
  } catch {
    return null
  }
}

const lockPatienceMs = 30_000
const lockPauseMs = 50

/** Runs `work` while no other process changes the credentials of this home. Throws `ConfigError` after 30 s of waiting. */
async function withLock<Result>(home: string, work: () => Promise<Result>): Promise<Result> {
  const path = join(home, 'credentials.lock')
  makeFolders(nodeFiles, home)
  createLockFile(path)
  const endMs = performance.now() + lockPatienceMs
  let held = lock(path)
  while (held === null) {
    if (performance.now() > endMs)
      throw new ConfigError(path, 'is held by another parley for 30 s. End it and try again.')
    await delay(lockPauseMs)
    held = lock(path)
  }
  try {
    return await work()
  } finally {
    held.release()
  }
}

/** Takes the lock if it is free. Throws `ConfigError` where it cannot be taken at all. */
function lock(path: string): ReturnType<typeof nodeFiles.lock> {
  try {
    return nodeFiles.lock(path)
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    const why = error.code === 'ENOLCK' ? 'its file system has no locks' : error.message
    throw new ConfigError(path, `cannot be locked: ${why}. Set PARLEY_HOME to a folder on a local disk.`)
  }
}

/** Creates the lock file with its mode before SQLite would. */
function createLockFile(path: string): void {
  try {
    nodeFiles.close(nodeFiles.open(path, 'createNew'))
  } catch (error) {
    if (!(error instanceof StorageError && error.code === 'EEXIST')) throw error
  }
}
