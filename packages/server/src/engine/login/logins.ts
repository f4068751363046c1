import { randomUUID } from 'node:crypto'
import type { Config } from '@parley/config'
import { createModelClient, type Env, keyVariable, type ModelFailure, type ProviderConfig } from '@parley/models'
import type { LoginCompleted, ParamsOf, ResultOf } from '@parley/protocol'
import type { Redaction } from '@parley/redaction'
import { RpcError } from '@parley/rpc'
import { keyFault } from '../../credentials/credential.ts'
import type { CredentialStore } from '../../credentials/credential-store.ts'
import { asRejection, rejection } from '../../replies/rejection.ts'
import { assertProvider, keyedProviderIds, providerOf } from '../settings/model-sources.ts'
import { readConfig } from '../settings/read-config.ts'
import { learnCredential } from './provider-keys.ts'

/** Attempts to log in, and what they left. */
export interface Logins {
  start(params: ParamsOf<'login/start'>): ResultOf<'login/start'>
  cancel(params: ParamsOf<'login/cancel'>): ResultOf<'login/cancel'>
  status(): ResultOf<'login/status'>
  logout(params: ParamsOf<'logout'>): Promise<ResultOf<'logout'>>
}

export interface LoginPorts {
  readonly home: string
  readonly env: Env
  readonly store: CredentialStore
  readonly redaction: Pick<Redaction, 'learn' | 'text'>
  /** Sends the end of an attempt to every client that may log in. */
  readonly announce: (end: LoginCompleted) => void
  readonly report: (fault: unknown) => void
}

export function createLogins(ports: LoginPorts): Logins {
  const { home, env, store, redaction, announce, report } = ports
  const attempts = new Map<string, AbortController>()
  const ownConfig = () => readConfig(home, {}).values

  /** Tries a key and keeps it. Resolves to the end of the attempt. */
  async function tryKey(login: Attempt): Promise<Outcome> {
    const { provider, key, config, signal } = login
    const refusal = await refusalOf(login, env)
    if (signal.aborted) return failed('aborted', 'The login was cancelled; nothing is kept.')
    if (refusal !== null) return failed(refusal.code, `${refusal.message} The key is not kept.`)
    const wanted = config.cli_auth_credentials_store ?? 'auto'
    return {
      code: null,
      error: null,
      keptIn: await store.keep(`provider/${provider.id}`, { kind: 'key', key }, wanted),
    }
  }

  async function run(loginId: string, login: Attempt): Promise<void> {
    const { provider } = login
    const { code, error, keptIn } = await tryKey(login).catch((fault: unknown) => {
      const known = asRejection(fault)
      if (known === fault) report(fault)
      return failed(known instanceof RpcError ? String(known.data?.['code']) : 'internal', messageOf(known))
    })
    attempts.delete(loginId)
    const said = error === null ? null : redaction.text(error)
    const variable = keyVariable(provider, env) ?? null
    announce({ loginId, provider: provider.id, success: error === null, code, error: said, keptIn, variable })
  }

  return {
    start({ provider: id, key }) {
      const config = ownConfig()
      const provider = loginProvider(id, config, env)
      const fault = keyFault(key)
      if (fault !== null)
        throw rejection('invalidParams', `This is no key: ${fault}. Nothing was sent.`, { field: 'key' })
      learnCredential(redaction, { kind: 'key', key })
      const loginId = `l-${randomUUID().slice(-12)}`
      const attempt = new AbortController()
      attempts.set(loginId, attempt)
      // The reply leaves first, so that a client knows the id in the notification.
      setImmediate(() => void run(loginId, { provider, key, config, signal: attempt.signal }))
      return { loginId }
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

type Outcome = Pick<LoginCompleted, 'code' | 'error' | 'keptIn'>

function failed(code: string, error: string): Outcome {
  return { code, error, keptIn: null }
}

interface Attempt {
  readonly provider: ProviderConfig
  readonly key: string
  readonly config: Config
  readonly signal: AbortSignal
}

/** Asks the provider for its models with this key. Resolves to the failure; null when it answered. */
async function refusalOf({ provider, key, signal }: Attempt, env: Env): Promise<ModelFailure | null> {
  const ownKeys = [provider.envKey, provider.otherEnvKey]
  const others = Object.fromEntries(Object.entries(env).filter(([name]) => !ownKeys.includes(name)))
  const listing = await createModelClient(provider, { env: others, keptKey: () => key }).listModels(signal)
  return listing.type === 'failed' ? listing.failure : null
}

/** Returns a provider that takes a key. Throws `invalidParams` for any other. */
function loginProvider(id: string, config: Config, env: Env): ProviderConfig {
  assertProvider(id, config, env)
  const provider = config.model_providers?.[id]?.wire_api === 'recorded' ? null : providerOf(id, config, env)
  if (provider !== null) return provider
  throw rejection('invalidParams', `The provider "${id}" plays a recording and takes no key.`, { field: 'provider' })
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
    return [{ provider: id, name: provider?.name ?? id, keptIn, variable }]
  })
}

function messageOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault)
}
