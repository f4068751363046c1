import { ConfigError } from '@parley/config'
import type { McpLogins } from '@parley/mcp-client'
import { type Redaction, secretValue } from '@parley/redaction'
import { type Credential, type CredentialName, type RenewableCredential, secretsOf } from './credential.ts'
import type { FileEntries } from './credential-file.ts'
import type { CredentialStore } from './credential-store.ts'
import { freshTokens } from './fresh-tokens.ts'

/** Keys of the providers that the user logged in to. */
export interface ProviderKeys {
  /** Returns the ids of these providers, without asking the keyring. Throws `ConfigError`. */
  kept(): ReadonlySet<string>
  /** Resolves to the key for the next request, renewed if it is about to end; null without a login. Throws `ConfigError`. */
  keyOf(providerId: string, options?: KeyOptions): Promise<string | null>
  /**
   * Teaches redaction the keys in the file, and the key of one provider wherever it is kept. Called before a
   * conversation takes text; a key that cannot be read is not used either.
   */
  learn(providerId: string): Promise<void>
}

interface KeyOptions {
  /** Key that the provider has just rejected: tokens are renewed even if they have not ended. */
  readonly refused?: string
}

/** Keys of providers, and tokens of MCP servers. */
export type KeptLogins = ProviderKeys & McpLogins

interface KeyPorts {
  readonly store: CredentialStore
  readonly redaction: Pick<Redaction, 'learn'>
  /** Returns wall time in ms since the epoch. */
  readonly clock: { now(): number }
  readonly fetch: typeof fetch
}

const prefix = 'provider/'

export function createProviderKeys({ store, redaction, clock, fetch }: KeyPorts): KeptLogins {
  const fromKeyring = createKeyringMemory(store)

  /** Resolves to a credential that redaction knows; null where no credential is kept. */
  async function known(name: CredentialName): Promise<Credential | null> {
    const entry = store.entries().get(name)
    if (entry === undefined) return null
    const credential = entry.keptIn === 'file' ? entry.credential : await fromKeyring(name)
    if (credential !== null) learnCredential(redaction, credential)
    return credential
  }

  const fresh = (name: CredentialName, credential: RenewableCredential, options: KeyOptions = {}) => {
    const learn = (renewed: Credential) => learnCredential(redaction, renewed)
    return freshTokens(credential, { name, store, learn, now: clock.now, fetch, ...options })
  }

  async function keyOf(providerId: string, options: KeyOptions = {}): Promise<string | null> {
    const name: CredentialName = `${prefix}${providerId}`
    const credential = await known(name)
    if (credential === null) return null
    return credential.kind === 'key' ? credential.key : fresh(name, credential, options)
  }

  return {
    kept: () => keptProviders(store),
    keyOf,
    async tokenFor(server, url, refused) {
      const name: CredentialName = `mcp/${server}`
      const credential = await known(name)
      return credential?.kind === 'mcp' && credential.url === url
        ? fresh(name, credential, refused === undefined ? {} : { refused })
        : null
    },
    async learn(providerId) {
      try {
        for (const entry of store.entries().values())
          if (entry.keptIn === 'file') learnCredential(redaction, entry.credential)
        // Not renewed here: opening a conversation does not wait for a server.
        await known(`${prefix}${providerId}`)
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
      }
    },
  }
}

/** Returns the ids of the providers that the user logged in to. */
export function keptProviders(store: CredentialStore): ReadonlySet<string> {
  const names = [...store.entries().keys()].filter((name) => name.startsWith(prefix))
  return new Set(names.map((name) => name.slice(prefix.length)))
}

/** Makes redaction know the texts of a credential, before their first use. */
export function learnCredential(redaction: Pick<Redaction, 'learn'>, credential: Credential): void {
  redaction.learn(secretsOf(credential).flatMap((value) => secretValue('login', value)))
}

/** Returns a reader that asks the keyring again only after the list of credentials has changed: each question takes 30 ms. */
function createKeyringMemory(store: CredentialStore): (name: CredentialName) => Promise<Credential | null> {
  const known = new Map<CredentialName, Credential | null>()
  let knownFor: FileEntries | null = null
  return async (name) => {
    const entries = store.entries()
    if (knownFor !== entries) known.clear()
    knownFor = entries
    const credential = known.get(name) ?? (await store.read(name))
    if (knownFor === entries) known.set(name, credential)
    return credential
  }
}
