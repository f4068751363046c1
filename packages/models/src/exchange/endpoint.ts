import type { FailureContext } from '../failures/classify-refusal.ts'
import { createExplain, type Explain } from '../failures/explain.ts'
import { HttpExchange } from '../http/http-exchange.ts'
import type { Environment, StartRequest } from '../http/http-agents.ts'
import type { ModelFailure } from '../port/model-client.ts'

export interface AccessLimits {
  readonly connectTimeoutMs: number
  readonly maxEventChars: number
  readonly maxResponseBytes: number
  readonly maxResponseMs: number
}

export const ACCESS_LIMITS: AccessLimits = {
  connectTimeoutMs: 10_000,
  maxEventChars: 32 * 1024 * 1024,
  maxResponseBytes: 128 * 1024 * 1024,
  maxResponseMs: 60 * 60_000,
}

interface AccessPorts {
  readonly env: Environment
  readonly start: StartRequest
  readonly now: () => number
  readonly limits: AccessLimits
}

export interface Call {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
}

type Opened =
  | { readonly type: 'opened'; readonly exchange: HttpExchange }
  | { readonly type: 'obstacle'; readonly failure: ModelFailure }

/** Speaks to one provider: knows its address, its key, and the words for what goes wrong with it. */
export interface Access {
  readonly limits: AccessLimits
  readonly idleMs: number
  open(call: Call): Opened
  explain(model: string): Explain
}

export function createAccess(provider: ProviderConfig, ports: AccessPorts): Access {
  const { env, limits } = ports
  return {
    limits,
    idleMs: provider.streamIdleTimeoutMs,
    open: (call) => openCall(call, provider, ports),
    explain: (model) =>
      createExplain({
        contextNow: () => contextOf(provider, model, ports.now()),
        secrets: secretsOf(provider, env),
        idleMs: provider.streamIdleTimeoutMs,
      }),
  }
}

function openCall({ method, path, body }: Call, provider: ProviderConfig, ports: AccessPorts): Opened {
  const { env, limits, start } = ports
  const url = endpointUrl(provider, path)
  if (url === undefined) return { type: 'obstacle', failure: badBaseUrl(provider) }
  if (provider.envKey !== undefined && readKey(provider, env) === undefined) {
    return { type: 'obstacle', failure: noCredentials(provider.name, provider.envKey) }
  }
  const content = body === undefined ? {} : { 'content-type': 'application/json', accept: 'text/event-stream' }
  const headers = { ...content, ...endpointHeaders(provider, env) }
  const request = { method, url, headers, connectTimeoutMs: limits.connectTimeoutMs }
  return { type: 'opened', exchange: new HttpExchange(body === undefined ? request : { ...request, body }, start) }
}

function contextOf(provider: ProviderConfig, model: string, nowMs: number): FailureContext {
  const url = endpointUrl(provider, '')
  const port = url?.port || (url?.protocol === 'https:' ? '443' : '80')
  const host = url === undefined ? provider.baseUrl : `${url.hostname}:${port}`
  const { name, envKey } = provider
  return { provider: name, host, model, nowMs, ...(envKey === undefined ? {} : { envKey }) }
}

function noCredentials(name: string, envKey: string): ModelFailure {
  const message = `No key for ${name}: ${envKey} is not set. Set it, or choose another model_provider.`
  return { code: 'noCredentials', message, retry: 'never' }
}

function badBaseUrl({ id, baseUrl }: ProviderConfig): ModelFailure {
  const message = `The base_url of provider "${id}" is not an http or https address: ${baseUrl}. Correct it in the configuration.`
  return { code: 'badBaseUrl', message, retry: 'never' }
}

export type WireApi = 'responses' | 'chat'

export interface ProviderConfig {
  readonly id: string
  readonly name: string
  readonly baseUrl: string
  /** The variable that holds the key; absent for servers that need none. */
  readonly envKey?: string
  /** Looked into when that one is not set. */
  readonly otherEnvKey?: string
  readonly wireApi: WireApi
  readonly headers: Readonly<Record<string, string>>
  /** Header name to the variable that holds its value; a header whose variable is unset is left out. */
  readonly envHeaders?: Readonly<Record<string, string>>
  readonly queryParams: Readonly<Record<string, string>>
  readonly requestMaxRetries: number
  readonly streamMaxRetries: number
  readonly streamIdleTimeoutMs: number
}

/** `path` starts with a slash. A slash at the end of the base and parameters within it are both kept right. */
function endpointUrl(provider: ProviderConfig, path: string): URL | undefined {
  if (!URL.canParse(provider.baseUrl)) return undefined
  const url = new URL(provider.baseUrl)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined
  url.pathname = url.pathname.replace(/\/+$/, '') + path
  for (const [name, value] of Object.entries(provider.queryParams)) url.searchParams.set(name, value)
  return url
}

/** The provider's key, trimmed: a line break from a copied key would make the header invalid. */
export function readKey(provider: ProviderConfig, env: Environment): string | undefined {
  const variables = [provider.envKey, provider.otherEnvKey].filter((name) => name !== undefined)
  return variables.map((name) => env[name]?.trim()).find((key) => key !== undefined && key !== '')
}

/** Configured headers win over ours, so that a gateway with its own scheme can be spoken to. */
function endpointHeaders(provider: ProviderConfig, env: Environment): Record<string, string> {
  const headers = new Map<string, string>([
    ['accept-encoding', 'identity'],
    ['user-agent', 'parley'],
  ])
  const key = readKey(provider, env)
  if (key !== undefined) headers.set('authorization', `Bearer ${key}`)
  for (const [name, value] of Object.entries(provider.headers)) headers.set(name.toLowerCase(), value)
  for (const [name, variable] of Object.entries(provider.envHeaders ?? {})) {
    const value = env[variable]?.trim()
    if (value !== undefined && value !== '') headers.set(name.toLowerCase(), value)
  }
  return Object.fromEntries(headers)
}

/** Everything that must not show up in a message, should a provider echo it. */
function secretsOf(provider: ProviderConfig, env: Environment): readonly string[] {
  const fromHeaders = Object.values(provider.envHeaders ?? {}).map((variable) => env[variable]?.trim())
  return [readKey(provider, env), ...fromHeaders].filter(isLongEnough)
}

/** A secret of a few characters would blank out ordinary words. */
function isLongEnough(secret: string | undefined): secret is string {
  return secret !== undefined && secret.length >= 8
}
