import { type SecretValue, secretsNamed, secretValue } from '@parley/redaction'
import type { Config } from './config-schema.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** What a configuration says is secret: keys by the name of their variable, and values whose own name says so. */
export function secretsOfConfig(config: Config, env: Environment): readonly SecretValue[] {
  const providers = Object.values(config.model_providers ?? {})
  const servers = Object.values(config.mcp_servers ?? {})
  const environments = Object.values(config.environments ?? {})
  const variables = [
    ...providers.flatMap(({ env_key: key, env_headers: headers = {} }) => [key, ...Object.values(headers)]),
    ...servers.map(({ bearer_token_env_var: token }) => token),
    ...environments.map(({ token_env: token }) => token),
  ]
  const tables = [
    ...providers.flatMap(({ headers = {}, query_params: query = {} }) => [headers, query]),
    ...servers.flatMap(({ env: own = {}, http_headers: headers = {} }) => [own, headers]),
    config.shell_environment?.set ?? {},
  ]
  return [
    ...variables.flatMap((name) => (name === undefined ? [] : secretValue(name, env[name] ?? ''))),
    ...tables.flatMap((table) => secretsNamed(table).map(withoutScheme)),
  ]
}

/** Of "Bearer KEY" the key. */
function withoutScheme({ kind, value }: SecretValue): SecretValue {
  return { kind, value: /^(?:bearer|basic|token) +(\S{8,})$/i.exec(value)?.[1] ?? value }
}
