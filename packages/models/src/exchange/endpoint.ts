import type { FailureContext } from '../failures/classify-refusal.ts'
import { createExplain, type Explain } from '../failures/explain.ts'
import { hasAnswered, type StartRequest, sharedRequestStarter } from '../http/http-agents.ts'
import { HttpExchange } from '../http/http-exchange.ts'
import { type ClientPorts, defaultLimits, type ExchangeLimits } from '../port/client-ports.ts'
import type { ModelFailure } from '../port/model-client.ts'
import type { Env, KeySource, Provider, ProviderAddress, ProviderLimits } from '../port/provider.ts'
import type { HttpWire, RequestBody } from '../port/wire.ts'

export interface EndpointRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: RequestBody
}

type OpenedExchange =
  | { readonly type: 'opened'; readonly exchange: HttpExchange }
  | { readonly type: 'failed'; readonly failure: ModelFailure }

/** Entrance to a provider: opens exchanges with its key and limits, and explains failures. */
export interface Endpoint {
  readonly limits: ExchangeLimits
  readonly idleMs: number
  /** Starts an exchange. Fails without sending anything when the key is missing or the address is unusable. */
  open(request: EndpointRequest): OpenedExchange
  /** Returns the explanation of failures of requests to a model, which are given up after `idleMs` of silence. */
  explain(model: string, idleMs: number): Explain
}

export function createEndpoint(provider: Provider, wire: HttpWire, ports: ClientPorts): Endpoint {
  const { env, keptKey = () => undefined, now = Date.now, limits: given } = ports
  const key = () => readKey(provider, env) ?? keptKey()
  const limits = { ...defaultLimits, ...limitsOf(provider), ...given }
  const start = sharedRequestStarter(env, provider.network)
  return {
    limits,
    idleMs: provider.streamIdleTimeoutMs,
    open: (request) => openExchange(request, { provider, wire, env, key: key(), limits, start }),
    explain: (model, idleMs) =>
      createExplain({
        contextNow: () => contextOf(provider, env, { model, nowMs: now(), key: sourceOfKey(provider, env, key()) }),
        readError: (body) => wire.readError(body),
        secrets: secretsOf(provider, env, key()),
        idleMs,
      }),
  }
}

function limitsOf({ connectTimeoutMs, requestTimeoutMs }: ProviderLimits): Partial<ExchangeLimits> {
  return {
    ...(connectTimeoutMs === undefined ? {} : { connectTimeoutMs }),
    ...(requestTimeoutMs === undefined ? {} : { maxResponseMs: requestTimeoutMs }),
  }
}

interface Target {
  readonly provider: Provider
  readonly wire: HttpWire
  readonly env: Env
  readonly key: string | undefined
  readonly limits: ExchangeLimits
  readonly start: StartRequest
}

function openExchange({ method, path, body }: EndpointRequest, target: Target): OpenedExchange {
  const { provider, key, limits, start } = target
  const url = urlOf(provider, path)
  if (url === undefined) return { type: 'failed', failure: badBaseUrl(provider) }
  if (provider.envKey !== undefined && key === undefined) {
    return { type: 'failed', failure: noCredentials(provider, provider.envKey) }
  }
  if (key !== undefined && notInHeaders.test(key)) return { type: 'failed', failure: badKey(target) }
  const content = body === undefined ? {} : { 'content-type': 'application/json', accept: 'text/event-stream' }
  const headers = { ...content, ...headersOf(target) }
  const request = { method, url, headers, connectTimeoutMs: limits.connectTimeoutMs }
  return { type: 'opened', exchange: new HttpExchange(body === undefined ? request : { ...request, body }, start) }
}

/** Returns the address of a path below the base URL, with the parameters of the base, the path and the provider. */
function urlOf(provider: ProviderAddress, path: string): URL | undefined {
  if (!URL.canParse(provider.baseUrl)) return undefined
  const url = new URL(provider.baseUrl)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined
  const [pathname = '', query = ''] = path.split('?')
  url.pathname = url.pathname.replace(/\/+$/, '') + pathname
  const parameters = [...new URLSearchParams(query), ...Object.entries(provider.queryParams)]
  for (const [name, value] of parameters) url.searchParams.set(name, value)
  return url
}

/** Returns all headers. Configured ones replace those of the wire: a gateway may have a scheme of its own. */
function headersOf({ provider, wire, env, key }: Target): Record<string, string> {
  const headers = new Map<string, string>([
    ['accept-encoding', 'identity'],
    ['user-agent', 'parley'],
    ...Object.entries(wire.headers(key)),
  ])
  for (const [name, value] of Object.entries(provider.headers)) headers.set(name.toLowerCase(), value)
  for (const [name, variable] of Object.entries(provider.envHeaders ?? {})) {
    const value = env[variable]?.trim()
    if (value !== undefined && value !== '') headers.set(name.toLowerCase(), value)
  }
  return Object.fromEntries(headers)
}

/** Returns the provider's key, trimmed: a line break from a copied key would make the header invalid. */
export function readKey(provider: KeySource, env: Env): string | undefined {
  const name = keyVariable(provider, env)
  return name === undefined ? undefined : env[name]?.trim()
}

/** Returns the variable that holds the provider's key; undefined when no such variable is set. */
export function keyVariable({ envKey, otherEnvKey }: KeySource, env: Env): string | undefined {
  return [envKey, otherEnvKey].find((name) => name !== undefined && (env[name] ?? '').trim() !== '')
}

/** Returns the values that no message may contain, should the provider quote them. */
export function secretsOf(provider: ProviderAddress, env: Env, key: string | undefined): readonly string[] {
  const fromHeaders = Object.values(provider.envHeaders ?? {}).map((variable) => env[variable]?.trim())
  // A shorter one occurs in ordinary words.
  return [key, ...fromHeaders].filter((secret) => secret !== undefined).filter(({ length }) => length >= 8)
}

/** Returns the source of the key for messages: a variable or a login; undefined for a request without a key. */
export function sourceOfKey(provider: KeySource, env: Env, key: string | undefined): string | undefined {
  return key === undefined ? undefined : (keyVariable(provider, env) ?? `\`parley login ${provider.id}\``)
}

function contextOf(
  provider: Provider,
  env: Env,
  { model, nowMs, key }: { readonly model: string; readonly nowMs: number; readonly key: string | undefined },
): FailureContext {
  const url = urlOf(provider, '')
  const port = url?.port || (url?.protocol === 'https:' ? '443' : '80')
  const host = url === undefined ? provider.baseUrl : `${url.hostname}:${port}`
  return {
    provider: provider.name,
    host,
    model,
    nowMs,
    ...(key === undefined ? {} : { key }),
    ...(url !== undefined && hasAnswered(url, env) ? { wasReached: true as const } : {}),
  }
}

/** Returns the failure of a request without its key, neither set nor kept. */
export function noCredentials({ id, name }: Provider, envKey: string): ModelFailure {
  const message = `No key for ${name}: ${envKey} is not set. Set it, run \`parley login ${id}\`, or choose another model_provider.`
  return { code: 'noCredentials', message, retry: 'never' }
}

/** Matches a character that Node sends in no header. */
const notInHeaders = /[^\t\x20-\x7e\x80-\xff]/

function badKey({ provider, env, key }: Target): ModelFailure {
  const { id, name } = provider
  const message = `${name} was not asked: its key in ${sourceOfKey(provider, env, key)} has a line break, or a character that no header may have. Set it anew, or run \`parley login ${id}\`.`
  return { code: 'noCredentials', message, retry: 'never' }
}

function badBaseUrl({ id, baseUrl }: Provider): ModelFailure {
  const message = `The base_url of provider "${id}" is not an http or https address: ${baseUrl}. Correct it in the configuration.`
  return { code: 'badBaseUrl', message, retry: 'never' }
}
