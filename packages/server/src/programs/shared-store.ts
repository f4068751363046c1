import { type Config, ConfigError, readEffectiveConfig } from '@parley/config'
import { storeReplicas } from '@parley/config/defaults'
import type { SharedStore } from '@parley/engine/shared-store'
import { NotPrivateError, readPrivateFile } from '@parley/host'
import type { Files } from '@parley/journal'
import type { Redaction } from '@parley/redaction'
import { UsageError } from '@parley/serving'
import type { OpeningWait, StoreAddress } from '@parley/team/store'
import { withoutUndefined } from '@parley/text'
import { systemErrorReason } from '@parley/workspace'

interface StoreUser {
  readonly home: string
  readonly files: Files
  /** Made to use the key of the store; absent where nothing is redacted. */
  readonly redaction?: Pick<Redaction, 'useKey'>
  /** Called with the time that each message took to be acknowledged. */
  readonly onPublished?: ((seconds: number) => void) | undefined
  /** Takes each sentence about a key of `[store]` that has no effect. */
  readonly warn: (text: string) => void
  /** Wait while the store cannot be opened. */
  readonly wait: OpeningWait
}

/** Returns the wait of a program that somebody waits for: it says why on stderr, and gives up in the end. */
export function shortWait(program: string): OpeningWait {
  const onAway = (problem: string) => void process.stderr.write(`parley ${program}: ${problem} Waiting for it.\n`)
  return { onAway, isPatient: false }
}

/** Returns what says on stderr that a key has no effect. */
export function warningsOf(program: string): StoreUser['warn'] {
  return (text) => void process.stderr.write(`parley ${program}: ${text}\n`)
}

/** Opens the store that servers share, of `--store` or of `[store]`; null where neither names one. */
export async function openSharedStore(
  given: readonly string[] | null,
  { home, files, redaction, onPublished, warn, wait }: StoreUser,
): Promise<{ readonly store: SharedStore | null } | { readonly problem: string }> {
  const wanted = storeSettings(given, configuredStore(home), warn)
  if (wanted === null) return { store: null }
  if ('problem' in wanted) return wanted
  // Loaded only here: most servers have no store.
  const { openStore, UnusableStoreError } = await import('@parley/team/store')
  try {
    const store = await openStore({ ...wanted, files, wait, ...withoutUndefined({ onPublished }) })
    redaction?.useKey(store.key)
    return { store }
  } catch (error) {
    if (error instanceof UnusableStoreError) return { problem: error.message }
    throw error
  }
}

function storeSettings(
  given: readonly string[] | null,
  { configured, warnings, problem }: Configured,
  warn: StoreUser['warn'],
): (StoreAddress & { readonly replicas: number }) | { readonly problem: string } | null {
  if (given?.length === 0) return null
  if (problem !== undefined) return { problem }
  const servers = given ?? configured?.servers ?? []
  if (servers.length === 0) return null
  warnings.forEach(warn)
  const { credentials_file: credentialsFile, ca_file: ca, cert_file: cert, key_file: key, replicas } = configured ?? {}
  if ((cert === undefined) !== (key === undefined))
    return { problem: 'cert_file and key_file of [store] go together: name both, or neither.' }
  const person = userOf(configured ?? {})
  if (person !== undefined && 'problem' in person) return person
  const isSecure = ca !== undefined || cert !== undefined || servers.some((server) => server.startsWith('tls://'))
  const tls = isSecure ? withoutUndefined({ ca, cert, key }) : undefined
  return {
    servers,
    replicas: replicas ?? (servers.length < storeReplicas ? 1 : storeReplicas),
    ...withoutUndefined({ credentialsFile, tls, user: person }),
  }
}

/** Returns the user by whom the store is opened, if there is one, or why that cannot be. */
function userOf(store: Partial<NonNullable<Config['store']>>): StoreAddress['user'] | { readonly problem: string } {
  const { user: name, password_file: file, credentials_file: credentials } = store
  if (name === undefined && file === undefined) return undefined
  if (name === undefined || file === undefined) return { problem: 'user and password_file of [store] go together.' }
  if (credentials !== undefined)
    return { problem: '[store] has both a user and a credentials_file: leave one of them out.' }
  try {
    return { name, password: createPassword(file) }
  } catch (error) {
    if (error instanceof NotPrivateError) return { problem: `The password_file ${file} of [store] ${error.message}` }
    return { problem: `The password_file ${file} of [store] cannot be read: ${systemErrorReason(error)}.` }
  }
}

/** Returns what reads a password. One that cannot be read is the one before: the store asks at each reconnection. */
function createPassword(file: string): () => string {
  const read = () => readPrivateFile(file).replace(/\r?\n$/, '')
  let known = read()
  return () => {
    try {
      known = read()
    } catch {
      // The store says whether the one before still counts.
    }
    return known
  }
}

interface Configured {
  readonly configured: Config['store']
  readonly warnings: readonly string[]
  /** Sentence for a `[store]` that cannot be used. */
  readonly problem?: string
}

function configuredStore(home: string): Configured {
  const nothing = { configured: undefined, warnings: [] }
  try {
    const { values, warnings } = readEffectiveConfig({ home, isWhole: true })
    return { configured: values.store, warnings: warnings.filter((text) => text.includes('"store.')) }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    // Each request reports other faults of the configuration.
    return error.what.startsWith('store') ? { ...nothing, problem: error.message } : nothing
  }
}

/** Reads `nats://HOST:PORT,HOST:PORT`; `none` stands for no store. Throws `UsageError`. */
export function readStore(text: string): readonly string[] {
  if (text === 'none') return []
  if (text.includes('@'))
    throw new UsageError(
      'The address of a store names no user and no password: set user and password_file of [store] in config.toml.',
    )
  const [, scheme = '', list = ''] = /^(nats|tls):\/\/(.+?)\/?$/.exec(text) ?? []
  const hosts = list.split(',').map((host) => host.trim().replace(/^(nats|tls):\/\//, ''))
  if (scheme === '' || hosts.some((host) => !/^(\[[0-9a-f:.]+\]|[^/:@\s]+)(:\d{1,5})?$/i.test(host)))
    throw new UsageError(
      `The address of a store is nats://HOST:PORT or tls://HOST:PORT, more of them parted by commas, not ${JSON.stringify(text)}.`,
    )
  return hosts.map((host) => `${scheme}://${host}`)
}
