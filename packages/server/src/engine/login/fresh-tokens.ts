import { ConfigError } from '@parley/config'
import type { Credential, CredentialName, OAuthCredential } from '../../credentials/credential.ts'
import type { CredentialStore } from '../../credentials/credential-store.ts'

/** Time before its end at which a token is renewed: a request may wait in a queue that long. */
const marginMs = 60_000

interface TokenPorts {
  readonly name: CredentialName
  readonly store: CredentialStore
  /** Makes redaction know tokens before their first use. */
  readonly learn: (renewed: Credential) => void
  readonly now: () => number
}

/**
 * Resolves to an access token that is good for a minute at least. One process renews it; others wait and take the result,
 * because a server may accept a refresh token once. Throws `ConfigError` when the login has ended.
 */
export async function freshTokens(login: OAuthCredential, { name, store, learn, now }: TokenPorts): Promise<string> {
  if (!endsSoon(login, now())) return login.accessToken
  const kept = await store.update(name, async (current) => {
    // Another process may have renewed it during the wait.
    if (current.kind !== 'oauth' || !endsSoon(current, now())) return null
    const renewed = await renew(current, now)
    if (renewed !== null) learn(renewed)
    return renewed
  })
  if (kept === null) throw ended(name)
  learn(kept)
  return kept.kind === 'key' ? kept.key : kept.accessToken
}

function endsSoon({ expiresAtMs }: OAuthCredential, nowMs: number): boolean {
  return expiresAtMs !== null && expiresAtMs - nowMs < marginMs
}

/** Renews a login. Resolves to null when the server does not answer and the token is still good. */
async function renew(login: OAuthCredential, now: () => number): Promise<OAuthCredential | null> {
  const { OAuthError, renewTokens } = await import('./oauth-client.ts')
  try {
    return await renewTokens(login, now(), new AbortController().signal)
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    const isGood = login.expiresAtMs !== null && login.expiresAtMs > now()
    if (isGood && error.code !== 'invalid_grant') return null
    throw new ConfigError('login', `could not be renewed: ${error.message} Log in again if that lasts.`)
  }
}

function ended(name: CredentialName): ConfigError {
  return new ConfigError('login', `of ${name} has ended elsewhere. Log in again.`)
}
