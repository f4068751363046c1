import type { Agent, ClientRequest, RequestOptions } from 'node:http'
import type { SecureContext } from 'node:tls'
import { isLoopbackHost } from '@parley/text'
import type { Env, NetworkSettings } from '../port/provider.ts'
import { proxyVariables, trustOf } from './network.ts'

/** Starts a request on a pooled connection. The caller owns the request. Throws when the CA file is unusable. */
export type StartRequest = (url: URL, options: RequestOptions) => ClientRequest

const agentOptions = { keepAlive: true, maxFreeSockets: 8, scheduling: 'lifo' } as const

/** Request starters by their variables and settings. */
const shared = new WeakMap<Env, Map<string, StartRequest>>()

/** Origins that have answered, by the variables of the requests. */
const answered = new WeakMap<Env, Set<string>>()

/** Tells if this process has had an answer from the host of an address. */
export function hasAnswered({ origin }: URL, env: Env): boolean {
  return answered.get(env)?.has(origin) === true
}

/**
 * Returns the starter that all requests of the same settings share: a thousand conversations at rest would keep a
 * connection each. A starter with a CA file is not shared, so that a changed file counts for the next conversation.
 */
export function sharedRequestStarter(env: Env, settings: NetworkSettings = {}): StartRequest {
  if (settings.caFile !== undefined) return createRequestStarter(env, settings)
  const known = shared.get(env) ?? new Map<string, StartRequest>()
  shared.set(env, known)
  const key = JSON.stringify(settings)
  const start = known.get(key) ?? createRequestStarter(env, settings)
  known.set(key, start)
  return start
}

/** Loads the code for requests to this address, which would take 4 ms of the first one. */
export function loadHttp(baseUrl: string): void {
  process.getBuiltinModule(baseUrl.startsWith('https:') ? 'https' : 'http')
}

/**
 * Creates a starter with its own pool of connections. Requests to loopback use no proxy, which would not find a local
 * model server. For others Node interprets the proxy variables.
 */
export function createRequestStarter(env: Env, settings: NetworkSettings = {}): StartRequest {
  const agents = new Map<string, Agent>()
  const proxyEnv = proxyVariables(env, settings)
  const known = answered.get(env) ?? new Set()
  answered.set(env, known)
  let trust: SecureContext | undefined
  const agentFor = (isSecure: boolean, isDirect: boolean): Agent => {
    const options = isDirect ? agentOptions : { ...agentOptions, proxyEnv }
    if (!isSecure) return new (process.getBuiltinModule('http').Agent)(options)
    trust ??= trustOf(settings)
    const secure = trust === undefined ? options : { ...options, secureContext: trust }
    return new (process.getBuiltinModule('https').Agent)(secure)
  }
  return (url, options) => {
    const isSecure = url.protocol === 'https:'
    // An ESM import of node:http costs 40 ms at start (it loads undici); this does not. https loads only when used.
    const http = process.getBuiltinModule(isSecure ? 'https' : 'http')
    const isDirect = isLoopbackHost(url.hostname)
    const key = `${url.protocol}${isDirect ? 'direct' : 'proxied'}`
    const agent = agents.get(key) ?? agentFor(isSecure, isDirect)
    agents.set(key, agent)
    const note = () => void known.add(url.origin)
    return http.request(url, { ...options, agent }).once('response', note)
  }
}
