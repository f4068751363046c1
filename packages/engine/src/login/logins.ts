import { randomUUID } from 'node:crypto'
import type { Config } from '@parley/config'
import { configDefaults } from '@parley/config/defaults'
import {
  type Credential,
  type CredentialName,
  type CredentialStore,
  keptProviders,
  learnCredential,
} from '@parley/credentials'
import { issuedTokens } from '@parley/mcp-client'
import { createModelClient, type Env, keyVariable, type ModelFailure, type ProviderConfig } from '@parley/models'
import type { LoginCompleted, ParamsOf, ResultOf } from '@parley/protocol'
import type { Redaction } from '@parley/redaction'
import { asSentence } from '@parley/text'
import type { Clock } from '../ports/clock-and-ids.ts'
import { keyedProviderIds, providerOf } from '../settings/model-sources.ts'
import { readConfig } from '../settings/read-config.ts'
import { beginAtServer, beginLogin, faultOf, loginProvider } from './begin-login.ts'

/** Attempts to log in, and the logins that are kept. */
export interface Logins {
  start(params: ParamsOf<'login/start'>): Promise<ResultOf<'login/start'>>
  startMcp(params: ParamsOf<'mcp/login'>): Promise<ResultOf<'mcp/login'>>
  logoutMcp(params: ParamsOf<'mcp/logout'>): Promise<ResultOf<'mcp/logout'>>
  cancel(params: ParamsOf<'login/cancel'>): ResultOf<'login/cancel'>
  status(): ResultOf<'login/status'>
  logout(params: ParamsOf<'logout'>): Promise<ResultOf<'logout'>>
}

export interface LoginPorts {
  readonly home: string
  readonly env: Env
  readonly store: CredentialStore
  readonly redaction: Pick<Redaction, 'learn' | 'text'>
  readonly clock: Clock
  readonly fetch: typeof fetch
  /** Sends the end of an attempt to every client that may log in. */
  readonly announce: (end: LoginCompleted) => void
  readonly report: (fault: unknown) => void
  /** Starts the MCP servers of a name anew. */
  readonly restart: (name: string) => Promise<unknown>
}

export function createLogins(ports: LoginPorts): Logins {
  const { home, env, store, redaction, announce, report } = ports
  const attempts = new Map<string, AbortController>()
  const ownConfig = () => readConfig(home, {}).values

  async function run(loginId: string, attempt: Attempt): Promise<void> {
    const { about } = attempt
    const { code, error, keptIn } = await keepWhenAccepted(attempt, ports).catch((fault: unknown) => {
      const known = faultOf(fault)
      if (known.code === 'internal') report(fault)
      return failed(known.code, known.message)
    })
    attempts.delete(loginId)
    const shownError = error === null ? null : redaction.text(error)
    announce({ loginId, ...about, success: error === null, code, error: shownError, keptIn })
    if (error === null && about.mcpServer !== null) await ports.restart(about.mcpServer).catch(report)
  }

  /** Begins an attempt, which goes on after the reply. */
  function begin(attempt: Attempt, controller: AbortController): string {
    const loginId = `l-${randomUUID().slice(-12)}`
    attempts.set(loginId, controller)
    // The reply leaves first, so that a client knows the id in the notification.
    setImmediate(() => void run(loginId, attempt))
    return loginId
  }

  return {
    async start({ provider: id, key, flow }) {
      const config = ownConfig()
      const provider = loginProvider(id, config, env)
      const controller = new AbortController()
      const { signal } = controller
      const { credential, url, userCode } = await beginLogin({ id, key, flow, config, signal }, ports)
      const check = (found: Credential) => refusalOf(found, { provider, signal }, env)
      const about = { provider: id, mcpServer: null, variable: keyVariable(provider, env) ?? null }
      const loginId = begin({ name: `provider/${id}`, about, config, signal, credential, check }, controller)
      return { loginId, ...(url === undefined ? {} : { url }), ...(userCode === undefined ? {} : { userCode }) }
    },
    async startMcp({ name }) {
      const config = ownConfig()
      const controller = new AbortController()
      const { signal } = controller
      const { credential, url } = await beginAtServer({ name, config, signal }, ports)
      const about = { provider: null, mcpServer: name, variable: null }
      const check = () => Promise.resolve(null)
      return { loginId: begin({ name: `mcp/${name}`, about, config, signal, credential, check }, controller), url }
    },
    async logoutMcp({ name }) {
      const credential = await store.read(`mcp/${name}`).catch(() => null)
      const removed = await store.remove(`mcp/${name}`)
      if (removed) await ports.restart(name)
      return { removed, ...(await revocationOf(credential, ports)) }
    },
    cancel({ loginId }) {
      const attempt = attempts.get(loginId)
      attempt?.abort()
      return { cancelled: attempt !== undefined }
    },
    status: () => ({ logins: loginsOf(ownConfig(), store, env) }),
    async logout({ provider: id }) {
      const name = `provider/${id}` as const
      const credential = await store.read(name).catch(() => null)
      const removed = await store.remove(name)
      const provider = providerOf(id, ownConfig(), env)
      const variable = provider === null ? null : (keyVariable(provider, env) ?? null)
      return { removed, variable, ...(await revocationOf(credential, ports)) }
    },
  }
}

type Revocation = Pick<ResultOf<'logout'>, 'revocation' | 'revocationError'>

/** Time limit of a revocation: the logout waits for it. */
const revocationMs = 10_000

/** Ends a login at its issuer, after it is forgotten here. Returns nothing for a key. Failures are values. */
async function revocationOf(credential: Credential | null, { fetch, redaction }: LoginPorts): Promise<Revocation> {
  if (credential === null || credential.kind === 'key') return {}
  try {
    const tokens = credential.kind === 'mcp' ? issuedTokens(credential) : credential
    if (tokens === null) return { revocation: 'unsupported' }
    const { revokeTokens } = await import('@parley/credentials/oauth-client')
    const isDone = await revokeTokens(tokens, { signal: AbortSignal.timeout(revocationMs), fetch })
    return { revocation: isDone ? 'done' : 'unsupported' }
  } catch (error) {
    return { revocation: 'failed', revocationError: redaction.text(faultOf(error).message) }
  }
}

interface Attempt {
  readonly name: CredentialName
  readonly about: Pick<LoginCompleted, 'provider' | 'mcpServer' | 'variable'>
  readonly config: Config
  readonly signal: AbortSignal
  readonly credential: Promise<Credential>
  /** Tries the credential. Resolves to the failure; null when it is accepted. */
  readonly check: (credential: Credential) => Promise<ModelFailure | null>
}

type Outcome = Pick<LoginCompleted, 'code' | 'error' | 'keptIn'>

function failed(code: string, error: string): Outcome {
  return { code, error, keptIn: null }
}

/** Waits for the credential, tries it and keeps it. */
async function keepWhenAccepted(attempt: Attempt, { store, redaction }: LoginPorts): Promise<Outcome> {
  const { name, config, signal, check } = attempt
  const credential = await attempt.credential
  learnCredential(redaction, credential)
  const refusal = await check(credential)
  if (signal.aborted) return failed('aborted', 'The login was cancelled; nothing is kept.')
  if (refusal !== null) return failed(refusal.code, notKept(refusal.message, credential))
  const wanted = config.cli_auth_credentials_store ?? configDefaults.cli_auth_credentials_store
  return { code: null, error: null, keptIn: await store.keep(name, credential, wanted) }
}

/** Returns a refusal as a sentence with its consequence; the sentence may end with the provider's own words. */
function notKept(message: string, { kind }: Credential): string {
  return `${asSentence(message)} The ${kind === 'key' ? 'key' : 'login'} is not kept.`
}

/** Asks the provider for its models with this credential. Resolves to the failure; null when it answered. */
async function refusalOf(
  found: Credential,
  { provider, signal }: { readonly provider: ProviderConfig; readonly signal: AbortSignal },
  env: Env,
): Promise<ModelFailure | null> {
  const key = found.kind === 'key' ? found.key : found.accessToken
  const ownKeys = [provider.envKey, provider.otherEnvKey]
  const others = Object.fromEntries(Object.entries(env).filter(([name]) => !ownKeys.includes(name)))
  const listing = await createModelClient(provider, { env: others, keptKey: () => key }).listModels(signal)
  return listing.type === 'failed' ? listing.failure : null
}

function loginsOf(config: Config, store: CredentialStore, env: Env): ResultOf<'login/status'>['logins'] {
  const entries = store.entries()
  const ids = new Set([...keyedProviderIds(config), ...keptProviders(store)])
  return [...ids].flatMap((id) => {
    const provider = providerOf(id, config, env)
    const entry = entries.get(`provider/${id}`)
    const keptIn = entry?.keptIn ?? null
    const variable = provider === null ? null : (keyVariable(provider, env) ?? null)
    if (keptIn === null && variable === null) return []
    const kept = entry?.keptIn === 'file' ? entry.credential.kind : (entry?.kind ?? 'key')
    const kind = kept === 'key' ? kept : 'oauth'
    return [{ provider: id, name: provider?.name ?? id, kind, keptIn, variable }]
  })
}
