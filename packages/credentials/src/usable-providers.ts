import { ConfigError } from '@parley/config'
import { type Env, type ProviderConfig, readKey } from '@parley/models'
import type { ProviderKeys } from './provider-keys.ts'

/** Variables, and the ids of the providers that the user logged in to. */
export interface KeysFound {
  readonly env: Env
  readonly kept: ReadonlySet<string>
}

/** Tells if a provider can be asked: it needs no key, its key is set, or the user logged in to it. */
export function isUsable(provider: ProviderConfig, { env, kept }: KeysFound): boolean {
  const needsNone = provider.envKey === undefined && provider.needsLogin !== true
  return needsNone || readKey(provider, env) !== undefined || kept.has(provider.id)
}

/** Tells if a provider has no key here; false where the logins cannot be read, which requests give as their reason. */
export function lacksKey(
  provider: ProviderConfig,
  { env, keys }: { readonly env: Env; readonly keys: Pick<ProviderKeys, 'kept'> },
): boolean {
  try {
    return !isUsable(provider, { env, kept: keys.kept() })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return false
  }
}
