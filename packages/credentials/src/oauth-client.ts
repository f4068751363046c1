import * as oauth from 'oauth4webapi'
import type { OAuthCredential } from './credential.ts'

/** Authorization server of a provider, and how this program is registered there. */
export interface OAuthSettings {
  /** Address without a path of its own metadata; https, or http on loopback. */
  readonly issuer: string
  readonly clientId: string
  readonly scopes: readonly string[]
}

/** Error of an authorization server. Its message is for people and has no token in it. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError'
  /** `error` of the server, such as `invalid_grant`; else a code of this program. */
  readonly code: string

  constructor(code: string, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

type SentRequest = oauth.CustomFetchOptions<'GET' | 'POST', URLSearchParams | undefined>

interface RequestOptions {
  readonly signal: AbortSignal
  readonly [oauth.allowInsecureRequests]: boolean
  readonly [oauth.customFetch]: (url: string, request: SentRequest) => Promise<Response>
}

/** Authorization server with known addresses. */
export interface OAuthClient {
  readonly settings: OAuthSettings
  readonly server: oauth.AuthorizationServer
  readonly client: oauth.Client
  options(signal: AbortSignal): RequestOptions
}

const answerMs = 30_000

/** Reads the metadata of an issuer, as OpenID Connect or else as plain OAuth. Rejects with `OAuthError`. */
export async function openOAuthClient(
  settings: OAuthSettings,
  signal: AbortSignal,
  send: typeof fetch,
): Promise<OAuthClient> {
  const issuer = new URL(settings.issuer)
  const options = (by: AbortSignal) => ({
    signal: AbortSignal.any([by, AbortSignal.timeout(answerMs)]),
    // Tokens travel without TLS only where they do not leave the machine; the schema of the configuration sees to it.
    [oauth.allowInsecureRequests]: issuer.protocol === 'http:',
    [oauth.customFetch]: (url: string, { body, ...request }: SentRequest) =>
      send(url, body === undefined ? request : { ...request, body }),
  })
  const found = await explained(settings, async () => {
    const first = await oauth.discoveryRequest(issuer, { algorithm: 'oidc', ...options(signal) })
    const response =
      first.status === 404 ? await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options(signal) }) : first
    return oauth.processDiscoveryResponse(issuer, response)
  })
  return { settings, server: found, client: { client_id: settings.clientId }, options }
}

/** Runs a step of a flow. Its errors become an `OAuthError` with the server's answer. */
export async function explained<Result>({ issuer }: OAuthSettings, step: () => Promise<Result>): Promise<Result> {
  try {
    return await step()
  } catch (error) {
    const { host } = new URL(issuer)
    if (error instanceof oauth.ResponseBodyError) {
      const { error: code, error_description: said = '' } = error
      throw new OAuthError(code, `${host} refused the login (${code}${said === '' ? '' : `: ${said}`}).`, error)
    }
    if (error instanceof oauth.AuthorizationResponseError)
      throw new OAuthError(error.error, `The login was refused at ${host} (${error.error}).`, error)
    if (error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError)
      throw new OAuthError('badAnswer', `${host} did not answer as an OAuth server does: ${error.message}.`, error)
    throw new OAuthError('unreachable', `${host} does not answer. Check the issuer and the network.`, error)
  }
}

/** Returns a login from the answer of the token endpoint. `earlier` is the login that was renewed. */
export function tokensOf(
  answer: oauth.TokenEndpointResponse,
  { issuer, clientId }: Pick<OAuthSettings, 'issuer' | 'clientId'>,
  { nowMs, earlier = null }: { readonly nowMs: number; readonly earlier?: OAuthCredential | null },
): OAuthCredential {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = answer
  return {
    kind: 'oauth',
    accessToken,
    // A server without rotation of refresh tokens sends no new one.
    refreshToken: refreshToken ?? earlier?.refreshToken ?? null,
    expiresAtMs: seconds === undefined ? null : nowMs + seconds * 1000,
    issuer,
    clientId,
  }
}

/** Tokens to revoke, with the client that they were given to. */
interface RevocableTokens extends Pick<OAuthCredential, 'issuer' | 'clientId' | 'accessToken' | 'refreshToken'> {
  readonly clientSecret?: string | null
}

type Revocation = Pick<Renewal, 'signal' | 'fetch'>

/**
 * Ends a login at its issuer (RFC 7009): the token that renews it first, then the access token. Resolves to false where
 * the issuer names no address for that. Rejects with `OAuthError`.
 */
export async function revokeTokens(tokens: RevocableTokens, { signal, fetch }: Revocation): Promise<boolean> {
  const { issuer, clientId, clientSecret = null, refreshToken, accessToken } = tokens
  const settings = { issuer, clientId, scopes: [] }
  const { server, client, options } = await openOAuthClient(settings, signal, fetch)
  if (server.revocation_endpoint === undefined) return false
  const proof = clientSecret === null ? oauth.None() : oauth.ClientSecretPost(clientSecret)
  const revoke = (token: string, hint: string) =>
    explained(settings, async () => {
      const asked = { ...options(signal), additionalParameters: { token_type_hint: hint } }
      await oauth.processRevocationResponse(await oauth.revocationRequest(server, client, proof, token, asked))
    })
  if (refreshToken !== null) await revoke(refreshToken, 'refresh_token')
  // A server need not revoke access tokens by themselves; they end soon without the other one.
  const isOptional = (error: unknown) =>
    refreshToken !== null && error instanceof OAuthError && error.code === 'unsupported_token_type'
  await revoke(accessToken, 'access_token').catch((error: unknown) => {
    if (!isOptional(error)) throw error
  })
  return true
}

interface Renewal {
  readonly nowMs: number
  readonly signal: AbortSignal
  readonly fetch: typeof fetch
}

/** Gets new tokens for a login. Rejects with `OAuthError`; `invalid_grant` means that the login has ended. */
export async function renewTokens(login: OAuthCredential, { nowMs, signal, fetch }: Renewal): Promise<OAuthCredential> {
  const { issuer, clientId, refreshToken } = login
  if (refreshToken === null) throw new OAuthError('invalid_grant', 'The login has no token to renew it with.')
  const settings = { issuer, clientId, scopes: [] }
  const { server, client, options } = await openOAuthClient(settings, signal, fetch)
  const answer = await explained(settings, async () => {
    const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refreshToken, options(signal))
    return oauth.processRefreshTokenResponse(server, client, response)
  })
  return tokensOf(answer, settings, { nowMs, earlier: login })
}
