import type { Environment } from './http-agents.ts'

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
export function endpointUrl(provider: ProviderConfig, path: string): URL | undefined {
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
export function endpointHeaders(provider: ProviderConfig, env: Environment): Record<string, string> {
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
export function secretsOf(provider: ProviderConfig, env: Environment): readonly string[] {
  const fromHeaders = Object.values(provider.envHeaders ?? {}).map((variable) => env[variable]?.trim())
  return [readKey(provider, env), ...fromHeaders].filter(isLongEnough)
}

/** A secret of a few characters would blank out ordinary words. */
function isLongEnough(secret: string | undefined): secret is string {
  return secret !== undefined && secret.length >= 8
}
