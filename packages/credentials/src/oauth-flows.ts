import { isProtectedAddress } from '@parley/config'
import * as oauth from 'oauth4webapi'
import type { OAuthCredential } from './credential.ts'
import { openLoopbackRedirect } from './loopback-redirect.ts'
import {
  explained,
  type OAuthClient,
  OAuthError,
  type OAuthSettings,
  openOAuthClient,
  tokensOf,
} from './oauth-client.ts'

/** Source of time. */
interface FlowClock {
  /** Returns wall time in ms since the epoch. */
  now(): number
  /** Resolves after `delayMs`, or at once when the signal fires; never rejects. */
  sleep(delayMs: number, signal: AbortSignal): Promise<void>
}

/** Login that waits for the user. */
export interface OAuthFlow {
  /** Address for the user's browser. */
  readonly url: string
  /** Code that the user types there; null where no code is needed. */
  readonly userCode: string | null
  /** Rejects with `OAuthError`, `aborted` after the signal and `timeout` after 10 minutes. */
  readonly tokens: Promise<OAuthCredential>
}

interface FlowPorts {
  readonly clock: FlowClock
  readonly fetch: typeof fetch
  readonly signal: AbortSignal
}

const patienceMs = 10 * 60_000

/** Begins a login in a browser of this machine: authorization code with PKCE, back to loopback. Rejects with `OAuthError`. */
export async function beginInBrowser(settings: OAuthSettings, { clock, fetch, signal }: FlowPorts): Promise<OAuthFlow> {
  const by = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
  const opened = await openOAuthClient(settings, by, fetch)
  const { server, client } = opened
  const { authorization_endpoint: endpoint } = server
  if (endpoint === undefined) throw new OAuthError('unsupported', 'The issuer has no login by browser. Try --device.')
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const url = webAddress(endpoint, settings)
  const challenge = await oauth.calculatePKCECodeChallenge(verifier)
  const redirect = await openLoopbackRedirect((found) => found.get('state') === state)
  const asked = {
    response_type: 'code',
    client_id: settings.clientId,
    redirect_uri: redirect.uri,
    scope: settings.scopes.join(' '),
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    // Without it OpenID Connect gives no token that renews the login.
    ...(settings.scopes.includes('offline_access') ? { prompt: 'consent' } : {}),
  }
  for (const [name, value] of Object.entries(asked)) if (value !== '') url.searchParams.set(name, value)
  const tokens = async () => {
    using _ = redirect
    const found = await untilAborted(redirect.arrived, by, signal)
    const answer = await explained(settings, async () => {
      const checked = oauth.validateAuthResponse(server, client, found, state)
      const auth = oauth.None()
      const { uri } = redirect
      const options = opened.options(by)
      const response = await oauth.authorizationCodeGrantRequest(server, client, auth, checked, uri, verifier, options)
      return oauth.processAuthorizationCodeResponse(server, client, response)
    })
    return tokensOf(answer, settings, { nowMs: clock.now() })
  }
  return { url: url.href, userCode: null, tokens: tokens() }
}

/** Begins a login in a browser of any machine, by a code that the user types there. Rejects with `OAuthError`. */
export async function beginByDevice(settings: OAuthSettings, { clock, fetch, signal }: FlowPorts): Promise<OAuthFlow> {
  const by = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
  const opened = await openOAuthClient(settings, by, fetch)
  const { server, client } = opened
  if (server.device_authorization_endpoint === undefined)
    throw new OAuthError('unsupported', 'The issuer has no login by device code.')
  const device = await explained(settings, async () => {
    const scope = settings.scopes.length === 0 ? {} : { scope: settings.scopes.join(' ') }
    const parameters = new URLSearchParams(scope)
    const auth = oauth.None()
    const response = await oauth.deviceAuthorizationRequest(server, client, auth, parameters, opened.options(by))
    return oauth.processDeviceAuthorizationResponse(server, client, response)
  })
  const poll = () => pollForTokens(opened, { clock, fetch, by, signal }, device)
  const { href } = webAddress(device.verification_uri, settings)
  return { url: href, userCode: device.user_code, tokens: poll() }
}

/** Returns an address for the user's browser. Throws `badAnswer` for one that a browser must not open. */
function webAddress(text: string, { issuer }: OAuthSettings): URL {
  if (isProtectedAddress(text)) return new URL(text)
  const shown = JSON.stringify(String(text).slice(0, 100))
  const { host } = new URL(issuer)
  throw new OAuthError('badAnswer', `${host} names ${shown} as its login page, which is no https address.`)
}

const slowerMs = 5_000

/** Asks for the tokens, as often as the server allows, until the user has typed the code. `by` also ends when time is up. */
async function pollForTokens(
  { settings, server, client, options }: OAuthClient,
  { clock, by, signal }: FlowPorts & { readonly by: AbortSignal },
  { device_code: code, interval = 5 }: oauth.DeviceAuthorizationResponse,
): Promise<OAuthCredential> {
  let pauseMs = interval * 1000
  for (;;) {
    await clock.sleep(pauseMs, by)
    if (by.aborted) throw endOf(signal)
    try {
      const answer = await explained(settings, async () => {
        const response = await oauth.deviceCodeGrantRequest(server, client, oauth.None(), code, options(by))
        return oauth.processDeviceCodeResponse(server, client, response)
      })
      return tokensOf(answer, settings, { nowMs: clock.now() })
    } catch (error) {
      const isEarly = error instanceof OAuthError && ['authorization_pending', 'slow_down'].includes(error.code)
      if (!isEarly) throw error
      if (error.code === 'slow_down') pauseMs += slowerMs
    }
  }
}

function untilAborted<Result>(wait: Promise<Result>, by: AbortSignal, signal: AbortSignal): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>()
  const give = () => reject(endOf(signal))
  if (by.aborted) give()
  else by.addEventListener('abort', give, { once: true })
  return Promise.race([wait, promise])
}

function endOf(signal: AbortSignal): OAuthError {
  return signal.aborted
    ? new OAuthError('aborted', 'The login was cancelled; nothing is kept.')
    : new OAuthError('timeout', 'Nobody logged in within 10 minutes; nothing is kept.')
}
