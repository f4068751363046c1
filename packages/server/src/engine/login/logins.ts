import { randomUUID } from 'node:crypto'
import type { Config } from '@parley/config'
import { createModelClient, type Env, keyVariable, type ModelFailure, type ProviderConfig } from '@parley/models'
import type { LoginCompleted, ParamsOf, ResultOf } from '@parley/protocol'
import type { Redaction } from '@parley/redaction'
import type { Credential } from '../../credentials/credential.ts'
import type { CredentialStore } from '../../credentials/credential-store.ts'
import type { Clock } from '../../ports/clock-and-ids.ts'
import { keyedProviderIds, providerOf } from '../settings/model-sources.ts'
import { readConfig } from '../settings/read-config.ts'
import { beginLogin, faultOf, loginProvider } from './begin-login.ts'
import { learnCredential } from './provider-keys.ts'

/** Attempts to log in, and what they left. */
export interface Logins {
  start(params: ParamsOf<'login/start'>): Promise<ResultOf<'login/start'>>
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
  /** Sends the end of an attempt to every client that may log in. */
  readonly announce: (end: LoginCompleted) => void
  readonly report: (fault: unknown) => void
}

export function createLogins(ports: LoginPorts): Logins {
  const { home, env, store, redaction, announce, report } = ports
  const attempts = new Map<string, AbortController>()
  const ownConfig = () => readConfig(home, {}).values

  async function run(loginId: string, attempt: Attempt): Promise<void> {
    const { provider } = attempt
    const { code, error, keptIn } = await keepWhenAccepted(attempt, ports).catch((fault: unknown) => {
      const known = faultOf(fault)
      if (known.code === 'internal') report(fault)
      return failed(known.code, known.message)
    })
    attempts.delete(loginId)
    const said = error === null ? null : redaction.text(error)
    const variable = keyVariable(provider, env) ?? null
    announce({ loginId, provider: provider.id, success: error === null, code, error: said, keptIn, variable })
  }

  return {
    async start({ provider: id, key, flow }) {
      const config = ownConfig()
      const provider = loginProvider(id, config, env)
      const controller = new AbortController()
      const { signal } = controller
      const way = await beginLogin({ id, key, flow, config, signal }, ports.clock)
      const loginId = `l-${randomUUID().slice(-12)}`
      attempts.set(loginId, controller)
      // The reply leaves first, so that a client knows the id in the notification.
      setImmediate(() => void run(loginId, { provider, config, signal, credential: way.credential }))
      const { url, userCode } = way
      return { loginId, ...(url === undefined ? {} : { url }), ...(userCode === undefined ? {} : { userCode }) }
    },
    cancel({ loginId }) {
      const attempt = attempts.get(loginId)
      attempt?.abort()
      return { cancelled: attempt !== undefined }
    },
    status: () => ({ logins: loginsOf(ownConfig(), store, env) }),
    async logout({ provider: id }) {
      const removed = await store.remove(`provider/${id}`)
      const provider = providerOf(id, ownConfig(), env)
      return { removed, variable: provider === null ? null : (keyVariable(provider, env) ?? null) }
    },
  }
}

interface Attempt {
  readonly provider: ProviderConfig
  readonly config: Config
  readonly signal: AbortSignal
  readonly credential: Promise<Credential>
}

type Outcome = Pick<LoginCompleted, 'code' | 'error' | 'keptIn'>

function failed(code: string, error: string): Outcome {
  return { code, error, keptIn: null }
}

/** Waits for the credential, tries it and keeps it. */
async function keepWhenAccepted(attempt: Attempt, { env, store, redaction }: LoginPorts): Promise<Outcome> {
  const { provider, config, signal } = attempt
  const credential = await attempt.credential
  learnCredential(redaction, credential)
  const key = credential.kind === 'key' ? credential.key : credential.accessToken
  const refusal = await refusalOf({ provider, key, signal }, env)
  if (signal.aborted) return failed('aborted', 'The login was cancelled; nothing is kept.')
  if (refusal !== null) return failed(refusal.code, `${refusal.message} The key is not kept.`)
  const wanted = config.cli_auth_credentials_store ?? 'auto'
  return { code: null, error: null, keptIn: await store.keep(`provider/${provider.id}`, credential, wanted) }
}

interface Trial extends Pick<Attempt, 'provider' | 'signal'> {
  readonly key: string
}

/** Asks the provider for its models with this key. Resolves to the failure; null when it answered. */
async function refusalOf({ provider, key, signal }: Trial, env: Env): Promise<ModelFailure | null> {
  const ownKeys = [provider.envKey, provider.otherEnvKey]
  const others = Object.fromEntries(Object.entries(env).filter(([name]) => !ownKeys.includes(name)))
  const listing = await createModelClient(provider, { env: others, keptKey: () => key }).listModels(signal)
  return listing.type === 'failed' ? listing.failure : null
}

function loginsOf(config: Config, store: CredentialStore, env: Env): ResultOf<'login/status'>['logins'] {
  const entries = store.entries()
  const kept = [...entries.keys()].map((name) => name.slice('provider/'.length))
  const ids = new Set([...keyedProviderIds(config), ...kept])
  return [...ids].flatMap((id) => {
    const provider = providerOf(id, config, env)
    const keptIn = entries.get(`provider/${id}`)?.keptIn ?? null
    const variable = provider === null ? null : (keyVariable(provider, env) ?? null)
    if (keptIn === null && variable === null) return []
    const entry = entries.get(`provider/${id}`)
    const kind = entry?.keptIn === 'file' ? entry.credential.kind : (entry?.kind ?? 'key')
    return [{ provider: id, name: provider?.name ?? id, kind, keptIn, variable }]
  })
}
