import type { Agent, ClientRequest, RequestOptions } from 'node:http'
import type { Env } from '../port/wire.ts'

/** Starts a request on a pooled connection. The caller owns the request. */
export type StartRequest = (url: URL, options: RequestOptions) => ClientRequest

const agentOptions = { keepAlive: true, maxFreeSockets: 4, scheduling: 'lifo' } as const

/**
 * Creates a starter with its own pool of connections. Requests to loopback use no proxy, which would not find a local
 * model server. For others Node interprets `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`.
 */
export function createRequestStarter(env: Env): StartRequest {
  const agents = new Map<string, Agent>()
  const proxyEnv = proxyVariables(env)
  return (url, options) => {
    // An ESM import of node:http costs 40 ms at start (it loads undici); this does not. https loads only when used.
    const http = process.getBuiltinModule(url.protocol === 'https:' ? 'https' : 'http')
    const direct = isLoopback(url.hostname)
    const key = `${url.protocol}${direct ? 'direct' : 'proxied'}`
    const agent = agents.get(key) ?? new http.Agent(direct ? agentOptions : { ...agentOptions, proxyEnv })
    agents.set(key, agent)
    return http.request(url, { ...options, agent })
  }
}

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}

function proxyVariables(env: Env): Record<string, string> {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']
  const pairs = names.flatMap((name) => {
    const value = env[name.toLowerCase()] ?? env[name]
    return value === undefined || value === '' ? [] : [[name, value] as const]
  })
  return Object.fromEntries(pairs)
}
