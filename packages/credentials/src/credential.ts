import type { McpLogin } from '@parley/mcp-client'
import { isRecord } from '@parley/text'

/** Tokens of a login by OAuth, with the server that gave them and renews them. */
export interface OAuthCredential {
  readonly kind: 'oauth'
  readonly accessToken: string
  /** Token that renews the login; null where the login ends with the access token. */
  readonly refreshToken: string | null
  /** End of the access token in ms since the epoch; null where the server names no end. */
  readonly expiresAtMs: number | null
  readonly issuer: string
  readonly clientId: string
}

/** Login to an MCP server. `state` is in the form of the SDK that renews it. */
export interface McpCredential extends McpLogin {
  readonly kind: 'mcp'
}

export type Credential = { readonly kind: 'key'; readonly key: string } | OAuthCredential | McpCredential

/** Credential that ends and can be renewed. */
export type RenewableCredential = OAuthCredential | McpCredential

/** Name under which a credential is kept: kind of its user, slash, id. */
export type CredentialName = `provider/${string}` | `mcp/${string}`

export type CredentialLocation = 'file' | 'keyring'

/** Returns a stored value as a credential; null for a kind that this version does not know. */
export function asCredential(value: unknown): Credential | null {
  if (!isRecord(value)) return null
  const { kind, key } = value
  if (kind === 'oauth') return asTokens(value)
  if (kind === 'mcp') return asMcpLogin(value)
  return kind === 'key' && typeof key === 'string' && keyFault(key) === null ? { kind, key } : null
}

function asTokens(value: Readonly<Record<string, unknown>>): OAuthCredential | null {
  const { accessToken, refreshToken, expiresAtMs, issuer, clientId } = value
  if (typeof accessToken !== 'string' || typeof issuer !== 'string' || typeof clientId !== 'string') return null
  if (refreshToken !== null && typeof refreshToken !== 'string') return null
  if (expiresAtMs !== null && typeof expiresAtMs !== 'number') return null
  return { kind: 'oauth', accessToken, refreshToken, expiresAtMs, issuer, clientId }
}

function asMcpLogin(value: Readonly<Record<string, unknown>>): McpCredential | null {
  const { url, accessToken, expiresAtMs, secrets, state } = value
  if (typeof url !== 'string' || typeof accessToken !== 'string' || !isRecord(state)) return null
  if (expiresAtMs !== null && typeof expiresAtMs !== 'number') return null
  if (!Array.isArray(secrets)) return null
  const texts = secrets.filter((text) => typeof text === 'string')
  return { kind: 'mcp', url, accessToken, expiresAtMs, secrets: texts, state }
}

/** Returns the texts of a credential that must never be shown. */
export function secretsOf(credential: Credential): readonly string[] {
  if (credential.kind === 'key') return [credential.key]
  if (credential.kind === 'mcp') return credential.secrets
  const { accessToken, refreshToken } = credential
  return refreshToken === null ? [accessToken] : [accessToken, refreshToken]
}

const maxKeyChars = 16_384

/** Returns why a text cannot be a key, as the end of a sentence; null for one that can. */
export function keyFault(key: string): string | null {
  if (key === '') return 'it is empty'
  if (key.length > maxKeyChars) return `it is longer than ${maxKeyChars} characters`
  if (/[\r\n]/.test(key)) return 'it has more than one line'
  // A header takes visible ASCII only, and no key has anything else.
  if (/[^\x21-\x7e]/.test(key)) return 'it has a blank, a control character or a character that no key has'
  return null
}
