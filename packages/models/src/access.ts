import type { FailureContext } from './classify-failure.ts'
import { endpointHeaders, endpointUrl, type ProviderConfig, readKey, secretsOf } from './endpoint.ts'
import { createExplain, type Explain } from './explain.ts'
import { HttpExchange } from './http.ts'
import type { Environment, StartRequest } from './http-agents.ts'
import type { ModelFailure } from './port.ts'

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

export interface AccessPorts {
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

export type Opened =
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
