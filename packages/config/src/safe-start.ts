import { isStricterSandbox } from '@parley/protocol'
import { type Config, ConfigError } from './config-schema.ts'
import { configDefaults } from './defaults.ts'
import type { Layer } from './layer.ts'
import { isStricterPolicy } from './strictness.ts'

/** Homes of this process that run with `--safe`. */
const safeHomes = new Set<string>()

/** Restricts a home's configuration to model access and limits, until this process ends. */
export function startSafely(home: string): void {
  safeHomes.add(home)
}

export function isSafe(home: string): boolean {
  return safeHomes.has(home)
}

/** Keys that make a model of the user reachable. */
const reachKeys = [
  'model',
  'model_provider',
  'model_reasoning_effort',
  'openai_base_url',
  'model_providers',
  'models',
  'model_context_window',
  'model_max_output_tokens',
  'network',
  'cli_auth_credentials_store',
  // Without it conversations of a store that servers share are out of reach.
  'store',
] as const satisfies readonly (keyof Config)[]

/** Keys that only restrict. */
const limitKeys = ['limits', 'secrets'] as const satisfies readonly (keyof Config)[]

/** Limits in place of an unreadable configuration, which may have had any limits. */
const strictest: Config = { sandbox_mode: 'read-only', approval_policy: 'untrusted' }

/** Returns the layer of a user's or project's file under `--safe`; one warning names the omitted keys. */
export function safeLayer({ origin, values, warnings }: Layer): Layer {
  const { sandbox_mode: mode, approval_policy: policy, shell_environment: env, model_provider: chosen } = values
  const providers = withoutPackages(values.model_providers)
  const isReachable = chosen === undefined || values.model_providers?.[chosen]?.package === undefined
  const { model, model_provider, ...others } = picked(values, [...reachKeys, ...limitKeys])
  const kept: Config = {
    ...others,
    ...(providers === undefined ? {} : { model_providers: providers }),
    // A model belongs to its provider, and not to the one that replaces it.
    ...(isReachable ? picked({ model, model_provider }, ['model', 'model_provider']) : {}),
    ...(mode !== undefined && isStricterSandbox(mode, configDefaults.sandbox_mode) ? { sandbox_mode: mode } : {}),
    ...(policy !== undefined && isStricterPolicy(policy, configDefaults.approval_policy)
      ? { approval_policy: policy }
      : {}),
    ...(env?.exclude === undefined ? {} : { shell_environment: { exclude: env.exclude } }),
  }
  const unused = Object.keys(values).filter((key) => !Object.hasOwn(kept, key))
  const packages = Object.keys(values.model_providers ?? {}).filter((id) => !Object.hasOwn(providers ?? {}, id))
  const names = [...unused, ...packages.map((id) => `model_providers.${id}`)]
  const said = names.length === 0 ? [] : [`--safe leaves out of ${origin}: ${names.join(', ')}.`]
  return { origin, values: kept, warnings: [...warnings, ...said] }
}

/** Returns the layer of an unusable file, with the strictest limits. */
export function unreadableSafely({ message }: ConfigError, origin: string): Layer {
  const text = `${message} --safe starts without it, read-only and asking before every change.`
  return { origin: `${origin} cannot be used`, values: strictest, warnings: [text] }
}

/** Keys that a person may give `-c` together with `--safe`. */
const givenKeys: readonly string[] = [...reachKeys, ...limitKeys, 'sandbox_mode', 'approval_policy']

/** Throws `ConfigError` for a profile, and for values of `-c` that would bring back what `--safe` leaves out. */
export function assertGivenSafely({ values, origin }: Layer, profile: string | undefined): void {
  if (profile !== undefined) throw profileLeftOut()
  const unfit = Object.keys(values).find((key) => !givenKeys.includes(key))
  if (unfit !== undefined) throw new ConfigError(origin, `"${unfit}" is not for --safe, which starts without it.`)
  const packaged = Object.entries(values.model_providers ?? {}).find(([, one]) => one.package !== undefined)
  if (packaged !== undefined)
    throw new ConfigError(
      origin,
      `"model_providers.${packaged[0]}.package" is not for --safe, which starts no packages.`,
    )
}

export function profileLeftOut(): ConfigError {
  return new ConfigError('profile', 'a profile is configuration, and --safe starts without it.')
}

function withoutPackages(providers: Config['model_providers']): Config['model_providers'] {
  if (providers === undefined) return undefined
  return Object.fromEntries(Object.entries(providers).filter(([, one]) => one.package === undefined))
}

function picked<Key extends keyof Config>(values: Config, keys: readonly Key[]): Pick<Config, Key> {
  const entries = keys.flatMap((key) => (values[key] === undefined ? [] : [[key, values[key]] as const]))
  return Object.fromEntries(entries) as Pick<Config, Key> // narrowed: only these keys, each with its own value
}
