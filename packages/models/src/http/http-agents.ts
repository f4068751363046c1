import type { Agent, ClientRequest, RequestOptions } from 'node:http'

export type Environment = Readonly<Record<string, string | undefined>>

/** Starts a request on a pooled connection. The caller owns what is returned. */
export type StartRequest = (url: URL, options: RequestOptions) => ClientRequest

const AGENT_OPTIONS = { keepAlive: true, maxFreeSockets: 4, scheduling: 'lifo' } as const

/**
 * Loopback is never sent through a proxy: a local model server behind `HTTP_PROXY` would not be found.
 * Elsewhere `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` are Node's own to interpret.
 */
export function createRequestStarter(env: Environment): StartRequest {
  const agents = new Map<string, Agent>()
  const proxyEnv = proxyVariables(env)
  return (url, options) => {
    // An ESM import of node:http costs 40 ms at start (it loads undici); this does not. https loads only when used.
    const http = process.getBuiltinModule(url.protocol === 'https:' ? 'https' : 'http')
    const direct = isLoopback(url.hostname)
    const key = `${url.protocol}${direct ? 'direct' : 'proxied'}`
    const agent = agents.get(key) ?? new http.Agent(direct ? AGENT_OPTIONS : { ...AGENT_OPTIONS, proxyEnv })
    agents.set(key, agent)
    return http.request(url, { ...options, agent })
  }
}

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}

function proxyVariables(env: Environment): Record<string, string> {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']
  const pairs = names.flatMap((name) => {
    const value = env[name.toLowerCase()] ?? env[name]
    return value === undefined || value === '' ? [] : [[name, value] as const]
  })
  return Object.fromEntries(pairs)
}
