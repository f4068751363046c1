import { randomBytes } from 'node:crypto'
import type {
  FetchLike,
  OAuthClientInformationMixed,
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthTokens,
} from '@modelcontextprotocol/client'
import { isProtectedAddress } from '@parley/config'

/** Login to an MCP server over HTTP, as it is kept. */
export interface McpLogin {
  /** Address of the server; the login counts for no other. */
  readonly url: string
  readonly accessToken: string
  /** End of the access token in ms since the epoch; null where the server names no end. */
  readonly expiresAtMs: number | null
  /** All secret texts of the login. */
  readonly secrets: readonly string[]
  /** Registration, tokens and addresses in the form of the SDK. */
  readonly state: Readonly<Record<string, unknown>>
}

/** Logins of the servers in use. */
export interface McpLogins {
  /**
   * Resolves to the access token for a server at this address; null without a login. Renews a token that the server has
   * `refused`. Rejects with an `Error` written for people.
   */
  tokenFor(name: string, url: string, refused?: string): Promise<string | null>
}

/** Error of a login. Its message is for people and has no token in it. */
export class McpLoginError extends Error {
  override readonly name = 'McpLoginError'
  /** `ended` when the server no longer accepts the login, else `refused`. */
  readonly code: 'ended' | 'refused'

  constructor(code: 'ended' | 'refused', message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

interface LoginRequest {
  readonly url: string
  /** Return of the browser to parley; `arrived` resolves to the parameters of the return with this state. */
  readonly redirect: { readonly uri: string; arrived(state: string): Promise<URLSearchParams> }
  readonly signal: AbortSignal
  readonly now: () => number
  readonly fetch: typeof fetch
}

/** Begins a login by OAuth: finds the authorisation server and registers there. Both promises reject with `McpLoginError`. */
export async function beginMcpLogin({
  url,
  redirect,
  signal,
  now,
  fetch,
}: LoginRequest): Promise<{ readonly authorizeUrl: string; readonly login: Promise<McpLogin> }> {
  const memory: Memory = {}
  const state = randomBytes(24).toString('base64url')
  let authorizeUrl = ''
  const open = (at: URL) => {
    authorizeUrl = at.href
  }
  const provider = providerFrom(memory, { uri: redirect.uri, state, open })
  await authorise(provider, { url, signal, fetch })
  if (!isProtectedAddress(authorizeUrl)) {
    const { protocol, host } = new URL(authorizeUrl)
    throw new McpLoginError(
      'refused',
      `${url} names ${protocol}//${host} as its login page, which is no https address.`,
    )
  }
  const finish = async () => {
    const found = await redirect.arrived(state)
    const code = found.get('code')
    if (code === null) throw new McpLoginError('refused', `The login was refused (${found.get('error') ?? 'no code'}).`)
    await authorise(provider, { url, signal, fetch }, { code, iss: found.get('iss') })
    return loginFrom(memory, url, now())
  }
  return { authorizeUrl, login: finish() }
}

interface Renewal {
  readonly nowMs: number
  readonly signal: AbortSignal
  readonly fetch: typeof fetch
}

/**
 * Gets new tokens for a login. Rejects with `McpLoginError`; `ended` means that the user must log in again. The SDK's
 * `auth` is not used: where the server does not answer, it begins a new login instead.
 */
export async function renewMcpLogin({ url, state }: McpLogin, { nowMs, signal, fetch }: Renewal): Promise<McpLogin> {
  const memory: Memory = { ...state }
  const { discovery, client, tokens } = savedLogin(memory)
  const refreshToken = tokens?.refresh_token
  if (discovery === undefined || client === undefined || refreshToken === undefined)
    throw new McpLoginError('ended', `The login at ${new URL(url).host} has ended, and nothing renews it.`)
  const { authorizationServerUrl, authorizationServerMetadata: metadata, resourceMetadata } = discovery
  const about = {
    ...(metadata === undefined ? {} : { metadata }),
    ...(resourceMetadata === undefined ? {} : { resource: resourceMetadata.resource }),
  }
  await explained({ url, signal, fetch }, async ({ sdk, fetchFn }) => {
    const request = { ...about, clientInformation: client, refreshToken, fetchFn }
    memory['tokens'] = { ...tokens, ...(await sdk.refreshAuthorization(authorizationServerUrl, request)) }
  })
  return loginFrom(memory, url, nowMs)
}

/** Tokens of a login, and the server that gave them. */
interface IssuedTokens {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string | null
  readonly accessToken: string
  readonly refreshToken: string | null
}

/** Returns the tokens of a login as their issuer knows them; null when the login does not name its issuer. */
export function issuedTokens({ accessToken, state }: McpLogin): IssuedTokens | null {
  const { discovery, client, tokens } = savedLogin({ ...state })
  if (discovery === undefined || client === undefined) return null
  return {
    issuer: discovery.authorizationServerMetadata?.issuer ?? String(discovery.authorizationServerUrl),
    clientId: client.client_id,
    clientSecret: client.client_secret ?? null,
    accessToken,
    refreshToken: tokens?.refresh_token ?? null,
  }
}

/** Values that the SDK keeps, by their names there. */
type Memory = Record<string, unknown>

interface Interaction {
  readonly uri: string
  readonly state: string
  readonly open: (authorizeUrl: URL) => void
}

/** Values of a login, by their names in the SDK. */
interface SavedLogin {
  readonly client?: OAuthClientInformationMixed
  readonly tokens?: OAuthTokens
  readonly discovery?: OAuthDiscoveryState
}

function savedLogin(memory: Memory): SavedLogin {
  return memory // narrowed: only the SDK writes these, and reads them in its own form
}

function providerFrom(memory: Memory, { uri, state, open }: Interaction): OAuthClientProvider {
  const read = (name: string) => memory[name] as never // narrowed: only the SDK writes these, and reads them in its own form
  const write = (name: string) => (value: unknown) => {
    memory[name] = value
  }
  memory['redirectUri'] = uri
  return {
    redirectUrl: uri,
    clientMetadata: { client_name: 'parley', redirect_uris: [uri], token_endpoint_auth_method: 'none' },
    state: () => state,
    clientInformation: () => read('client'),
    saveClientInformation: write('client'),
    tokens: () => read('tokens'),
    saveTokens: write('tokens'),
    codeVerifier: () => read('verifier'),
    saveCodeVerifier: write('verifier'),
    discoveryState: () => read('discovery'),
    saveDiscoveryState: write('discovery'),
    redirectToAuthorization: open,
  }
}

/** Server that a step of a login asks, and how. */
type LoginStep = Pick<LoginRequest, 'url' | 'signal' | 'fetch'>

async function authorise(
  provider: OAuthClientProvider,
  step: LoginStep,
  { code, iss = null }: { readonly code?: string; readonly iss?: string | null } = {},
): Promise<void> {
  const answer = { ...(code === undefined ? {} : { authorizationCode: code }), ...(iss === null ? {} : { iss }) }
  await explained(step, ({ sdk, fetchFn }) => sdk.auth(provider, { serverUrl: step.url, fetchFn, ...answer }))
}

/** Characters of a server's own words that are shown: they may be a whole page. */
const shownChars = 300

/** Codes of a server for a login that it no longer accepts. */
const endCodes = ['invalid_grant', 'invalid_client', 'unauthorized_client']

interface Tools {
  readonly sdk: typeof import('@modelcontextprotocol/client')
  /** Waits at most `answerMs`, and reads at most one message's size of an answer. */
  readonly fetchFn: FetchLike
}

const answerMs = 30_000

/** Loads the code of a login, which is too much for the start of the program. */
async function loadTools({ signal, fetch }: LoginStep): Promise<Tools> {
  const [sdk, { limitedFetch }] = await Promise.all([
    import('@modelcontextprotocol/client'),
    import('./replies/limit-replies.ts'),
  ])
  const send = limitedFetch(fetch, () => undefined)
  const fetchFn: FetchLike = (input, init) =>
    send(input, { ...init, signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]) })
  return { sdk, fetchFn }
}

/** Runs a step of the SDK. Its errors become a `McpLoginError`. */
async function explained(step: LoginStep, run: (tools: Tools) => Promise<unknown>): Promise<void> {
  const tools = await loadTools(step)
  try {
    await run(tools)
  } catch (error) {
    if (error instanceof McpLoginError) throw error
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : ''
    const said = error instanceof Error ? `${error.message}${cause}` : String(error)
    const shown = said.length > shownChars ? `${said.slice(0, shownChars)}…` : said
    const isEnd = error instanceof tools.sdk.OAuthError && endCodes.includes(error.code)
    const message = `The login at ${new URL(step.url).host} failed: ${shown}${shown.endsWith('.') ? '' : '.'}`
    throw new McpLoginError(isEnd ? 'ended' : 'refused', message, error)
  }
}

function loginFrom(memory: Memory, url: string, nowMs: number): McpLogin {
  const {
    access_token: accessToken,
    refresh_token: refreshToken,
    id_token: idToken,
    expires_in: seconds,
  } = recordAt(memory, 'tokens')
  if (typeof accessToken !== 'string') throw new McpLoginError('refused', 'The server gave no token.')
  const { client_secret: secret } = recordAt(memory, 'client')
  const { verifier: _, ...state } = memory
  return {
    url,
    accessToken,
    expiresAtMs: typeof seconds === 'number' ? nowMs + seconds * 1000 : null,
    secrets: [accessToken, refreshToken, idToken, secret].filter((text) => typeof text === 'string'),
    state,
  }
}

function recordAt(memory: Memory, name: string): Readonly<Record<string, unknown>> {
  const value = memory[name]
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
