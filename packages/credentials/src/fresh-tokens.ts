import { ConfigError } from '@parley/config'
import { McpLoginError, renewMcpLogin } from '@parley/mcp-client'
import type { Credential, CredentialName, RenewableCredential } from './credential.ts'
import type { CredentialStore } from './credential-store.ts'

/** Time before its end at which a token is renewed: a request may wait in a queue that long. */
const marginMs = 60_000

interface TokenPorts {
  readonly name: CredentialName
  readonly store: CredentialStore
  /** Makes redaction know tokens before their first use. */
  readonly learn: (renewed: Credential) => void
  readonly now: () => number
  readonly fetch: typeof fetch
  /** Token that was rejected although it has not ended; it is renewed all the same. */
  readonly refused?: string
}

/**
 * Resolves to an access token that is good for a minute at least. One process renews it; others wait and take the result,
 * because a server may accept a refresh token once. Throws `ConfigError` when the login has ended.
 */
export async function freshTokens(
  login: RenewableCredential,
  { name, store, learn, refused, now, fetch }: TokenPorts,
): Promise<string> {
  const isDue = (one: RenewableCredential) => one.accessToken === refused || endsSoon(one, now())
  if (!isDue(login)) return login.accessToken
  const kept = await store.update(name, async (current) => {
    // Another process may have renewed it during the wait.
    if (current.kind === 'key' || !isDue(current)) return null
    const renewed = await renew(current, { name, now, fetch })
    if (renewed !== null) learn(renewed)
    return renewed
  })
  if (kept === null) throw ended(name)
  learn(kept)
  return kept.kind === 'key' ? kept.key : kept.accessToken
}

function endsSoon({ expiresAtMs }: RenewableCredential, nowMs: number): boolean {
  return expiresAtMs !== null && expiresAtMs - nowMs < marginMs
}

/** Time limit of a renewal; other processes wait for its end, twice as long at most. */
const renewalMs = 15_000

interface Renewal {
  readonly name: CredentialName
  readonly now: () => number
  readonly fetch: typeof fetch
}

/** Renews a login. Resolves to null when the server does not answer and the token is still good. */
async function renew(login: RenewableCredential, { name, now, fetch }: Renewal): Promise<RenewableCredential | null> {
  try {
    return await renewed(login, { nowMs: now(), signal: AbortSignal.timeout(renewalMs), fetch })
  } catch (error) {
    const code = codeOf(error)
    if (code === null || !(error instanceof Error)) throw error
    const isGood = login.expiresAtMs !== null && login.expiresAtMs > now()
    if (isGood && code !== 'invalid_grant' && code !== 'ended') return null
    throw new ConfigError(`login (${name})`, `could not be renewed. ${error.message} ${nextStep(name)}`)
  }
}

interface RenewalRequest {
  readonly nowMs: number
  readonly signal: AbortSignal
  readonly fetch: typeof fetch
}

async function renewed(login: RenewableCredential, request: RenewalRequest): Promise<RenewableCredential> {
  if (login.kind === 'mcp') return { kind: 'mcp', ...(await renewMcpLogin(login, request)) }
  const { renewTokens } = await import('./oauth-client.ts')
  return renewTokens(login, request)
}

/** Returns the code of a failed renewal; null for any other error. */
function codeOf(error: unknown): string | null {
  if (error instanceof McpLoginError) return error.code
  return error instanceof Error && error.name === 'OAuthError' && 'code' in error ? String(error.code) : null
}

function ended(name: CredentialName): ConfigError {
  return new ConfigError(`login (${name})`, `is no longer kept. ${nextStep(name)}`)
}

function nextStep(name: CredentialName): string {
  const [kind, ...id] = name.split('/')
  const command = kind === 'mcp' ? `parley mcp login ${id.join('/')}` : `parley login ${id.join('/')} --oauth`
  return `Log in again if that lasts: ${command}`
}
