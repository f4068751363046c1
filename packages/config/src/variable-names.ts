import { type Config, isVariableName } from './config-schema.ts'

interface Named {
  readonly values: Config
  readonly warnings: readonly string[]
}

/**
 * Returns a configuration in which each key that wants the name of a variable has one, with a warning for each that had
 * none. What stood there may be the secret itself, so nobody who reads the configuration gets it.
 */
export function withVariableNames(values: Config, at: (path: readonly string[]) => string): Named {
  const warnings: string[] = []
  function checked(path: readonly string[], name: string): string {
    if (isVariableName(name)) return name
    warnings.push(
      `${at(path)}: "${path.join('.')}" wants the name of a variable. What stands there is none, and is not shown: put a key into a variable, and its name here.`,
    )
    return `(${path.at(-1)} names no variable)`
  }
  return { values: { ...values, ...providersOf(values, checked), ...othersOf(values, checked) }, warnings }
}

type Check = (path: readonly string[], name: string) => string

function providersOf({ model_providers: providers }: Config, checked: Check): Pick<Config, 'model_providers'> {
  if (providers === undefined) return {}
  const named = mapValues(providers, (provider, id) => {
    const { env_key: key, env_headers: headers } = provider
    const nameOf = (name: string, header: string) => checked(['model_providers', id, 'env_headers', header], name)
    return {
      ...provider,
      ...(key === undefined ? {} : { env_key: checked(['model_providers', id, 'env_key'], key) }),
      ...(headers === undefined ? {} : { env_headers: mapValues(headers, nameOf) }),
    }
  })
  return { model_providers: named }
}

function othersOf({ mcp_servers: servers, environments }: Config, checked: Check): Config {
  return {
    ...(servers === undefined
      ? {}
      : {
          mcp_servers: mapValues(servers, (server, id) => {
            const { bearer_token_env_var: name } = server
            if (name === undefined) return server
            return { ...server, bearer_token_env_var: checked(['mcp_servers', id, 'bearer_token_env_var'], name) }
          }),
        }),
    ...(environments === undefined
      ? {}
      : {
          environments: mapValues(environments, (environment, id) => {
            const { token_env: name } = environment
            if (name === undefined) return environment
            return { ...environment, token_env: checked(['environments', id, 'token_env'], name) }
          }),
        }),
  }
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From, key: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]))
}
