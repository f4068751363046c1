import { type SecretValue, secretsNamed, secretValue } from '@parley/redaction'
import type { EffectiveConfig } from './effective-config.ts'

/** Sections with values that are often secret. `parley config` hides them: its output gets pasted into reports. */
const hidden =
  /^(?:mcp_servers\..+\.(?:env|http_headers)|model_providers\..+\.(?:headers|query_params)|shell_environment\.set)\./

/** Returns a value of the configuration for display. `hide` replaces the secrets within a text, such as a URL, by marks. */
export function shownValue(key: string, value: unknown, hide: (text: string) => string): unknown {
  if (hidden.test(key)) return '(hidden)'
  const isProxy = key === 'network.proxy' && typeof value === 'string'
  return withoutSecrets(isProxy ? value.replace(/\/\/[^/]*@/, '//(hidden)@') : value, hide)
}

function withoutSecrets(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === 'string') return hide(value)
  if (Array.isArray(value)) return value.map((part) => withoutSecrets(part, hide))
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withoutSecrets(part, hide)]))
}

/**
 * Returns the secrets of a configuration: values of the variables that it names for keys, and values with a secret
 * name. A key that stands in the place of a variable's name is a secret, too.
 */
export function secretsOfConfig(
  { values: config, misplaced }: Pick<EffectiveConfig, 'values' | 'misplaced'>,
  env: Readonly<Record<string, string | undefined>>,
): readonly SecretValue[] {
  const providers = Object.values(config.model_providers ?? {})
  const servers = Object.values(config.mcp_servers ?? {})
  const environments = Object.values(config.environments ?? {})
  const variables = [
    ...providers.flatMap(({ env_key: key, env_headers: headers = {} }) => [key, ...Object.values(headers)]),
    ...servers.map(({ bearer_token_env_var: token }) => token),
    ...environments.map(({ token_env: token }) => token),
  ]
  const proxy = config.network?.proxy
  const password = proxy !== undefined && URL.canParse(proxy) ? new URL(proxy).password : ''
  const tables = [
    { proxy_password: password },
    ...providers.flatMap(({ headers = {}, query_params: query = {} }) => [headers, query]),
    ...servers.flatMap(({ env: own = {}, http_headers: headers = {} }) => [own, headers]),
    config.shell_environment?.set ?? {},
  ]
  return [
    ...misplaced,
    ...variables.flatMap((name) => (name === undefined ? [] : secretValue(name, env[name] ?? ''))),
    ...tables.flatMap((table) => secretsNamed(table).map(withoutScheme)),
  ]
}

/** Removes the scheme of a header: "Bearer KEY" becomes "KEY". */
function withoutScheme({ kind, value }: SecretValue): SecretValue {
  return { kind, value: /^(?:bearer|basic|token) +(\S{8,})$/i.exec(value)?.[1] ?? value }
}
