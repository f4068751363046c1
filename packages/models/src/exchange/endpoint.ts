import type { FailureContext } from '../failures/classify-refusal.ts'
import { createExplain, type Explain } from '../failures/explain.ts'
import { createRequestStarter, type StartRequest } from '../http/http-agents.ts'
import { HttpExchange } from '../http/http-exchange.ts'
import type { ModelFailure } from '../port/model-client.ts'
import {
  type ClientPorts,
  defaultLimits,
  type Env,
  type ExchangeLimits,
  type HttpWire,
  type Provider,
} from '../port/wire.ts'

export interface Call {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
}

type Opened =
  | { readonly type: 'opened'; readonly exchange: HttpExchange }
  | { readonly type: 'failed'; readonly failure: ModelFailure }

/** Address of a provider, with its key, its limits and the explanation of its failures. */
export interface Endpoint {
  readonly limits: ExchangeLimits
  readonly idleMs: number
  /** Starts an exchange. Fails without sending anything when the key is missing or the address is unusable. */
  open(call: Call): Opened
  /** Returns the explanation of what goes wrong with requests to a model, which are given up after `idleMs` of silence. */
  explain(model: string, idleMs: number): Explain
}

export function createEndpoint(provider: Provider, wire: HttpWire, ports: ClientPorts): Endpoint {
  const { env, now = Date.now } = ports
  const limits = { ...defaultLimits, ...ports.limits }
  const start = createRequestStarter(env)
  return {
    limits,
    idleMs: provider.streamIdleTimeoutMs,
    open: (call) => openCall(call, { provider, wire, env, limits, start }),
    explain: (model, idleMs) =>
      createExplain({
        contextNow: () => contextOf(provider, model, now()),
        readError: (body) => wire.readError(body),
        secrets: secretsOf(provider, env),
        idleMs,
      }),
  }
}

interface Target {
  readonly provider: Provider
  readonly wire: HttpWire
  readonly env: Env
  readonly limits: ExchangeLimits
  readonly start: StartRequest
}

function openCall({ method, path, body }: Call, { provider, wire, env, limits, start }: Target): Opened {
  const url = urlOf(provider, path)
  if (url === undefined) return { type: 'failed', failure: badBaseUrl(provider) }
  if (provider.envKey !== undefined && readKey(provider, env) === undefined) {
    return { type: 'failed', failure: noCredentials(provider.name, provider.envKey) }
  }
  const content = body === undefined ? {} : { 'content-type': 'application/json', accept: 'text/event-stream' }
  const headers = { ...content, ...headersOf(provider, wire, env) }
  const request = { method, url, headers, connectTimeoutMs: limits.connectTimeoutMs }
  return { type: 'opened', exchange: new HttpExchange(body === undefined ? request : { ...request, body }, start) }
}

/** Returns the address of a path below the base URL, with the parameters of the base, the path and the provider. */
function urlOf(provider: Provider, path: string): URL | undefined {
  if (!URL.canParse(provider.baseUrl)) return undefined
  const url = new URL(provider.baseUrl)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined
  const [pathname = '', query = ''] = path.split('?')
  url.pathname = url.pathname.replace(/\/+$/, '') + pathname
  const parameters = [...new URLSearchParams(query), ...Object.entries(provider.queryParams)]
  for (const [name, value] of parameters) url.searchParams.set(name, value)
  return url
}

/** Returns all headers. Configured ones replace those of the wire, so that a gateway may have a scheme of its own. */
function headersOf(provider: Provider, wire: HttpWire, env: Env): Record<string, string> {
  const headers = new Map<string, string>([
    ['accept-encoding', 'identity'],
    ['user-agent', 'parley'],
    ...Object.entries(wire.headers(readKey(provider, env))),
  ])
  for (const [name, value] of Object.entries(provider.headers)) headers.set(name.toLowerCase(), value)
  for (const [name, variable] of Object.entries(provider.envHeaders ?? {})) {
    const value = env[variable]?.trim()
    if (value !== undefined && value !== '') headers.set(name.toLowerCase(), value)
  }
  return Object.fromEntries(headers)
}

/** Returns the provider's key, trimmed: a line break from a copied key would make the header invalid. */
export function readKey(provider: Provider, env: Env): string | undefined {
  const name = keyVariable(provider, env)
  return name === undefined ? undefined : env[name]?.trim()
}

/** Returns the variable that holds the provider's key; undefined when none is set. */
export function keyVariable({ envKey, otherEnvKey }: Provider, env: Env): string | undefined {
  return [envKey, otherEnvKey].find((name) => name !== undefined && (env[name] ?? '').trim() !== '')
}

/** Returns the values that no message may contain, should the provider quote them. */
function secretsOf(provider: Provider, env: Env): readonly string[] {
  const fromHeaders = Object.values(provider.envHeaders ?? {}).map((variable) => env[variable]?.trim())
  return [readKey(provider, env), ...fromHeaders].filter(isLongEnough)
}

/** Tells whether a secret is long enough to be removed from messages; a short one occurs in ordinary words. */
function isLongEnough(secret: string | undefined): secret is string {
  return secret !== undefined && secret.length >= 8
}

function contextOf(provider: Provider, model: string, nowMs: number): FailureContext {
  const url = urlOf(provider, '')
  const port = url?.port || (url?.protocol === 'https:' ? '443' : '80')
  const host = url === undefined ? provider.baseUrl : `${url.hostname}:${port}`
  const { name, envKey } = provider
  return { provider: name, host, model, nowMs, ...(envKey === undefined ? {} : { envKey }) }
}

function noCredentials(name: string, envKey: string): ModelFailure {
  const message = `No key for ${name}: ${envKey} is not set. Set it, or choose another model_provider.`
  return { code: 'noCredentials', message, retry: 'never' }
}

function badBaseUrl({ id, baseUrl }: Provider): ModelFailure {
  const message = `The base_url of provider "${id}" is not an http or https address: ${baseUrl}. Correct it in the configuration.`
  return { code: 'badBaseUrl', message, retry: 'never' }
}
