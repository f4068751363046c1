import { createRedactor, type SecretValue, secretValue } from '@parley/redaction'
import type { Config } from './config-schema.ts'

interface CheckedVariables {
  readonly values: Config
  readonly warnings: readonly string[]
  /** Texts in the place of a variable's name, which may be secrets. */
  readonly misplaced: readonly SecretValue[]
}

/** Longest name of a variable; keys are longer, and few names are. */
const maxNameLength = 64

/** Tells if a text can be the name of a variable. Keys of providers that have the form of a name are told apart. */
function isVariableName(text: string): boolean {
  if (!/^[A-Za-z_]\w*$/.test(text) || text.length > maxNameLength) return false
  return !/(?=[A-Za-z]*\d)[A-Za-z0-9]{20}/.test(text) && !hasKeyShape(text)
}

/** Tells if a text has the shape of a key. Only texts of mixed letters are scanned, since most names have one case. */
function hasKeyShape(text: string): boolean {
  if (!/[a-z]/.test(text) || text.length < 16) return false
  return createRedactor({ values: [], tag: () => '' }).text(text) !== text
}

/**
 * Returns a configuration with a variable's name in each key that needs one, and a warning for each replaced text. The
 * text may be the secret itself, so no reader of the configuration gets it.
 */
export function withVariableNames(values: Config, at: (path: readonly PropertyKey[]) => string): CheckedVariables {
  const warnings: string[] = []
  const misplaced: SecretValue[] = []
  function isName(path: readonly PropertyKey[], name: string): boolean {
    if (isVariableName(name)) return true
    const key = path.filter((part) => typeof part === 'string')
    warnings.push(
      `${at(path)}: "${key.join('.')}" wants the name of a variable. What stands there is none, and is not shown: put a key into a variable, and its name here.`,
    )
    for (const secret of secretValue(key.at(-1) ?? '', name)) misplaced.push(secret)
    return false
  }
  return { values: { ...values, ...providersOf(values, isName), ...othersOf(values, isName) }, warnings, misplaced }
}

type IsVariableName = (path: readonly PropertyKey[], name: string) => boolean

/** Returns the name, or a placeholder that names no variable. */
function named(path: readonly string[], name: string, isName: IsVariableName): string {
  return isName(path, name) ? name : `(${path.at(-1)} names no variable)`
}

function providersOf({ model_providers: providers }: Config, isName: IsVariableName): Pick<Config, 'model_providers'> {
  if (providers === undefined) return {}
  const checked = mapValues(providers, (provider, id) => {
    const { env_key: key, env_headers: headers } = provider
    const nameOf = (name: string, header: string) => named(['model_providers', id, 'env_headers', header], name, isName)
    return {
      ...provider,
      ...(key === undefined ? {} : { env_key: named(['model_providers', id, 'env_key'], key, isName) }),
      ...(headers === undefined ? {} : { env_headers: mapValues(headers, nameOf) }),
    }
  })
  return { model_providers: checked }
}

function othersOf({ mcp_servers: servers, environments }: Config, isName: IsVariableName): Config {
  return {
    ...(servers === undefined
      ? {}
      : {
          mcp_servers: mapValues(servers, (server, id) => {
            const { bearer_token_env_var: token, env_vars: passed } = server
            const path = ['mcp_servers', id]
            return {
              ...server,
              ...(token === undefined
                ? {}
                : { bearer_token_env_var: named([...path, 'bearer_token_env_var'], token, isName) }),
              ...(passed === undefined
                ? {}
                : { env_vars: passed.filter((name, nth) => isName([...path, 'env_vars', nth], name)) }),
            }
          }),
        }),
    ...(environments === undefined
      ? {}
      : {
          environments: mapValues(environments, (environment, id) => {
            const { token_env: name } = environment
            if (name === undefined) return environment
            return { ...environment, token_env: named(['environments', id, 'token_env'], name, isName) }
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
