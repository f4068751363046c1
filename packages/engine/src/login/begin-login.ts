import { type Config, isProtectedAddress } from '@parley/config'
import { type Credential, keyFault, type McpCredential, openLoopbackRedirect } from '@parley/credentials'
import { beginMcpLogin } from '@parley/mcp-client'
import type { Env, ProviderConfig } from '@parley/models'
import { RpcError } from '@parley/rpc'
import { closest } from '@parley/text'
import type { Clock } from '../ports/clock-and-ids.ts'
import { asRejection, invalidParam, rejection } from '../replies/rejection.ts'
import { assertProvider, providerOf } from '../settings/model-sources.ts'

/** Login that has begun: its credential is there already, or comes once the user has opened an address. */
export interface BegunLogin {
  readonly credential: Promise<Credential>
  readonly url?: string
  readonly userCode?: string
}

interface ProviderLoginRequest {
  readonly id: string
  readonly config: Config
  readonly key: string | undefined
  readonly flow: 'browser' | 'device' | undefined
  readonly signal: AbortSignal
}

interface FlowPorts {
  readonly clock: Clock
  readonly fetch: typeof fetch
}

/** Begins a login by a key or by OAuth. Rejects with `invalidParams` or `configInvalid`. */
export async function beginLogin(request: ProviderLoginRequest, ports: FlowPorts): Promise<BegunLogin> {
  return request.flow === undefined ? byKey(request.key ?? '') : byOAuth(request, ports)
}

/** Throws `invalidParams` for a text that is no key. */
function byKey(key: string): BegunLogin {
  const fault = keyFault(key)
  if (fault === null) return { credential: Promise.resolve({ kind: 'key', key }) }
  throw invalidParam('key', `This is no key: ${fault}. Nothing was sent.`)
}

/** Rejects with `invalidParams` where the provider has no issuer, and `configInvalid` where that does not answer. */
async function byOAuth(
  { id, config, flow, signal }: ProviderLoginRequest,
  { clock, fetch }: FlowPorts,
): Promise<BegunLogin> {
  const { issuer, client_id: clientId, scopes = [] } = config.model_providers?.[id]?.oauth ?? {}
  if (issuer === undefined || clientId === undefined) {
    const next = `Add oauth = { issuer = "https://…", client_id = "…" } to [model_providers.${id}], or log in with a key.`
    throw invalidParam('flow', `The provider "${id}" names no issuer and client_id. ${next}`)
  }
  const settings = { issuer, clientId, scopes }
  const { beginByDevice, beginInBrowser } = await import('@parley/credentials/oauth-flows')
  const begin = flow === 'device' ? beginByDevice : beginInBrowser
  try {
    const { url, userCode, tokens } = await begin(settings, { clock, fetch, signal })
    // Awaited by the attempt, which begins after the reply.
    tokens.catch(() => undefined)
    return { credential: tokens, url, ...(userCode === null ? {} : { userCode }) }
  } catch (error) {
    const { code, message } = faultOf(error)
    if (code === 'internal') throw error
    if (code === 'unsupported') throw invalidParam('flow', message)
    throw rejection('configInvalid', message, { where: `model_providers.${id}.oauth` })
  }
}

/** Returns a provider that takes a key. Throws `invalidParams` for any other. */
export function loginProvider(id: string, config: Config, env: Env): ProviderConfig {
  assertProvider(id, config, env)
  const provider = config.model_providers?.[id]?.wire_api === 'recorded' ? null : providerOf(id, config, env)
  if (provider !== null) return provider
  throw invalidParam('provider', `The provider "${id}" plays a recording and takes no key.`)
}

/** Codes of this program; any other is the word of a server that refuses. */
const ownCodes = ['aborted', 'timeout', 'unreachable', 'unsupported']

/** Returns code and message of a failure; `internal` for one that nothing here expects. */
export function faultOf(fault: unknown): { readonly code: string; readonly message: string } {
  if (fault instanceof Error && /^(?:OAuthError|McpLoginError)$/.test(fault.name) && 'code' in fault) {
    const code = String(fault.code)
    return { code: ownCodes.includes(code) ? code : 'auth', message: fault.message }
  }
  const known = asRejection(fault)
  if (known instanceof RpcError) return { code: String(known.data?.['code']), message: known.message }
  return { code: 'internal', message: 'Something went wrong in parley itself; its log says more.' }
}

const patienceMs = 10 * 60_000

/**
 * Begins a login to an MCP server of the user's configuration in a browser of this machine. Rejects with `invalidParams`
 * for a server without an address, and `configInvalid` where the server has no login by OAuth.
 */
export async function beginAtServer(
  { name, config, signal }: { readonly name: string; readonly config: Config; readonly signal: AbortSignal },
  { clock, fetch }: FlowPorts,
): Promise<{ readonly url: string; readonly credential: Promise<McpCredential> }> {
  const url = addressOf(name, config)
  let expected: string | null = null
  const redirect = await openLoopbackRedirect((found) => expected !== null && found.get('state') === expected)
  const target = {
    uri: redirect.uri,
    arrived(state: string) {
      expected = state
      return untilAborted(redirect.arrived, signal).finally(() => redirect[Symbol.dispose]())
    },
  }
  try {
    const { authorizeUrl, login } = await beginMcpLogin({ url, redirect: target, signal, now: clock.now, fetch })
    const credential = login.then((found): McpCredential => ({ kind: 'mcp', ...found }))
    // Awaited by the attempt, which begins after the reply.
    credential.catch(() => undefined)
    return { url: authorizeUrl, credential }
  } catch (error) {
    redirect[Symbol.dispose]()
    const { code, message } = faultOf(error)
    if (code === 'internal') throw error
    throw rejection('configInvalid', message, { where: `mcp_servers.${name}.url` })
  }
}

function addressOf(name: string, { mcp_servers: servers = {} }: Config): string {
  const server = Object.hasOwn(servers, name) ? servers[name] : undefined
  if (server?.url !== undefined) return protectedAddress(server.url, name)
  const near = closest(name, Object.keys(servers))
  const hint = near === null ? '' : ` Did you mean "${near}"?`
  const why =
    server === undefined ? `There is no [mcp_servers.${name}] in config.toml.${hint}` : `${name} is a program.`
  throw invalidParam('name', `${why} Only servers with a url are logged in to.`)
}

/** Throws `configInvalid` for an address where anybody on the way could read the tokens. */
function protectedAddress(url: string, name: string): string {
  if (isProtectedAddress(url)) return url
  const why = 'is neither an https address nor one of this machine, so a login would not stay secret on the way.'
  throw rejection('configInvalid', `The url of ${name} ${why}`, { where: `mcp_servers.${name}.url` })
}

function untilAborted(wait: Promise<URLSearchParams>, signal: AbortSignal): Promise<URLSearchParams> {
  const { promise, reject } = Promise.withResolvers<never>()
  const give = (code: string, text: string) => () => reject(rejection('invalidRequest', text, { code }))
  const giveUp = give('timeout', 'Nobody logged in within 10 minutes; nothing is kept.')
  const expired = setTimeout(giveUp, patienceMs).unref()
  signal.addEventListener('abort', give('aborted', 'The login was cancelled; nothing is kept.'), { once: true })
  return Promise.race([wait, promise]).finally(() => clearTimeout(expired))
}
