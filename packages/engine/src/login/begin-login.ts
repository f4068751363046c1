import type { Config } from '@parley/config'
import type { Env, ProviderConfig } from '@parley/models'
import { RpcError } from '@parley/rpc'
import { type Credential, keyFault } from '../credentials/credential.ts'
import type { Clock } from '../ports/clock-and-ids.ts'
import { asRejection, rejection } from '../replies/rejection.ts'
import { assertProvider, providerOf } from '../settings/model-sources.ts'

/** Login that has begun: its credential is there already, or comes once the user has opened an address. */
export interface BegunLogin {
  readonly credential: Promise<Credential>
  readonly url?: string
  readonly userCode?: string
}

interface ProviderLoginRequest {
  /** Id of the provider. */
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
export async function beginLogin(wanted: ProviderLoginRequest, ports: FlowPorts): Promise<BegunLogin> {
  return wanted.flow === undefined ? byKey(wanted.key ?? '') : byOAuth(wanted, ports)
}

/** Throws `invalidParams` for a text that is no key. */
function byKey(key: string): BegunLogin {
  const fault = keyFault(key)
  if (fault === null) return { credential: Promise.resolve({ kind: 'key', key }) }
  throw rejection('invalidParams', `This is no key: ${fault}. Nothing was sent.`, { field: 'key' })
}

/** Rejects with `invalidParams` where the provider has no issuer, and `configInvalid` where that does not answer. */
async function byOAuth(
  { id, config, flow, signal }: ProviderLoginRequest,
  { clock, fetch }: FlowPorts,
): Promise<BegunLogin> {
  const { issuer, client_id: clientId, scopes = [] } = config.model_providers?.[id]?.oauth ?? {}
  if (issuer === undefined || clientId === undefined) {
    const next = `Add oauth = { issuer = "https://…", client_id = "…" } to [model_providers.${id}], or log in with a key.`
    throw rejection('invalidParams', `The provider "${id}" names no issuer and client_id. ${next}`, { field: 'flow' })
  }
  const settings = { issuer, clientId, scopes }
  const { beginByDevice, beginInBrowser } = await import('./oauth-flows.ts')
  const begin = flow === 'device' ? beginByDevice : beginInBrowser
  try {
    const { url, userCode, tokens } = await begin(settings, { clock, fetch, signal })
    // Awaited by the attempt, which begins after the reply.
    tokens.catch(() => undefined)
    return { credential: tokens, url, ...(userCode === null ? {} : { userCode }) }
  } catch (error) {
    const { code, message } = faultOf(error)
    if (code === 'internal') throw error
    if (code === 'unsupported') throw rejection('invalidParams', message, { field: 'flow' })
    throw rejection('configInvalid', message, { where: `model_providers.${id}.oauth` })
  }
}

/** Returns a provider that takes a key. Throws `invalidParams` for any other. */
export function loginProvider(id: string, config: Config, env: Env): ProviderConfig {
  assertProvider(id, config, env)
  const provider = config.model_providers?.[id]?.wire_api === 'recorded' ? null : providerOf(id, config, env)
  if (provider !== null) return provider
  throw rejection('invalidParams', `The provider "${id}" plays a recording and takes no key.`, { field: 'provider' })
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
