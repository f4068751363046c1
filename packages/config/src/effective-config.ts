import { join } from 'node:path'
import type { SecretValue } from '@parley/redaction'
import { closest } from '@parley/text'
import { type Config, ConfigError } from './config-schema.ts'
import { type Layer, layerOfOverrides, readConfigFile } from './layer.ts'
import { assertGivenSafely, isSafe, profileLeftOut, safeLayer, unreadableSafely } from './safe-start.ts'
import { withoutUrl } from './settings-from-config.ts'
import { isTable } from './toml.ts'

/** Configuration of all layers together, with the origin of each value. */
export interface EffectiveConfig {
  readonly values: Config
  /** Origin by dotted key. */
  readonly origins: ReadonlyMap<string, string>
  readonly warnings: readonly string[]
  /** Texts in the place of a variable's name, which may be secrets. */
  readonly misplaced: readonly SecretValue[]
}

export interface ConfigRequest {
  readonly home: string
  /** Returns the layer of a trusted project, which lies over the user's own file. */
  readonly project?: (own: Config) => Layer
  readonly profile?: string
  /** Overrides from `-c key=value`. */
  readonly config?: Record<string, unknown>
  /** Flags of the command line, under their config keys. */
  readonly flags?: Config
  /**
   * True reads the whole configuration even under `--safe`, so that secret places stay hidden and the user's programs
   * stay guarded.
   */
  readonly isWhole?: boolean
}

const configName = 'config.toml'
const shownPath = `$PARLEY_HOME/${configName}`

/**
 * Reads the configuration. Order of layers: the user's file, trusted project, profile, `-c`, flags; a later one wins.
 * Under `--safe` the files only contribute the access to a model and limits. Throws `ConfigError`.
 */
export function readEffectiveConfig(request: ConfigRequest): EffectiveConfig {
  const override = layerOfOverrides(request.config ?? {}, '-c')
  if (isSafe(request.home) && request.isWhole !== true) return readSafely(request, override)
  const file = readConfigFile(join(request.home, configName), shownPath)
  if (file === null || !isOfFileAlone(request)) return overFile(file, request, override)
  const known = alone.get(file) ?? overFile(file, request, override)
  alone.set(file, known)
  return known
}

/** Cache for files without layers over them: opening one conversation asks for the same one eight times. */
const alone = new WeakMap<Layer, EffectiveConfig>()

function isOfFileAlone({ project, profile, config = {}, flags = {} }: ConfigRequest): boolean {
  const isNothing = (values: object) => Object.values(values).every((value) => value === undefined)
  return project === undefined && profile === undefined && isNothing(config) && isNothing(flags)
}

function overFile(file: Layer | null, request: ConfigRequest, override: Layer): EffectiveConfig {
  const own = file?.values ?? {}
  const profileName = request.profile ?? override.values.profile ?? own.profile
  const profile = profileName === undefined ? [] : [profileLayer(own, profileName)]
  const project = request.project === undefined ? [] : [withoutHooks(request.project(own))]
  const effective = layOver([...(file === null ? [] : [file]), ...project, ...profile, override, flagsLayer(request)])
  for (const name of Object.keys(effective.values.environments ?? {})) assertReachable(name, effective)
  return effective
}

/** Returns the layer of a project without its hooks, which are added to the user's hooks and do not replace them. */
function withoutHooks({ values, ...layer }: Layer): Layer {
  const { hooks: _, ...others } = values
  return { ...layer, values: others }
}

function readSafely(request: ConfigRequest, override: Layer): EffectiveConfig {
  assertGivenSafely(override, request.profile ?? override.values.profile)
  const file = readFileSafely(request.home)
  const own = file === null ? [] : [file]
  const project = request.project === undefined ? [] : [safeLayer(request.project(file?.values ?? {}))]
  return layOver([...own, ...project, override, flagsLayer(request)])
}

function readFileSafely(home: string): Layer | null {
  try {
    const file = readConfigFile(join(home, configName), shownPath)
    return file === null ? null : safeLayer(file)
  } catch (error) {
    if (error instanceof ConfigError) return unreadableSafely(error, shownPath)
    throw error
  }
}

function flagsLayer({ flags = {} }: ConfigRequest): Layer {
  return { origin: 'command line', values: flags, warnings: [] }
}

/** Throws `ConfigError` for an environment without `url` in all layers together; names a key that was probably meant. */
function assertReachable(name: string, { values, warnings }: EffectiveConfig): void {
  const { url, connected } = values.environments?.[name] ?? {}
  if (url !== undefined || connected !== undefined) return
  throw withoutUrl(
    name,
    warnings.find((text) => text.includes(`"environments.${name}.`)),
  )
}

/** Returns the values of a profile of the user's file. Throws `ConfigError`, also when there is no such profile. */
export function readProfile(home: string, name: string): Config {
  if (isSafe(home)) throw profileLeftOut()
  const file = readConfigFile(join(home, configName), shownPath)
  return profileLayer(file?.values ?? {}, name).values
}

function profileLayer({ profiles = {} }: Config, name: string): Layer {
  const values = profiles[name]
  if (values === undefined) {
    const names = Object.keys(profiles)
    const hint = closest(name, names)
    const known = names.length === 0 ? 'No [profiles.X] is configured.' : `Profiles are: ${names.join(', ')}.`
    const prompt = /\s/.test(name) ? ' For one answer without a terminal write parley exec "PROMPT".' : ''
    throw new ConfigError(
      'profile',
      `there is no profile "${name}". ${hint === null ? known : `Did you mean "${hint}"?`}${prompt}`,
    )
  }
  return { origin: `profile ${name}`, values, warnings: [] }
}

function layOver(layers: readonly Layer[]): EffectiveConfig {
  const origins = new Map<string, string>()
  let values: Record<string, unknown> = {}
  for (const layer of layers)
    values = merge({ under: values, over: layer.values, origin: layer.origin, path: '' }, origins)
  const warnings = layers.flatMap((layer) => layer.warnings)
  const misplaced = layers.flatMap((layer) => layer.misplaced ?? [])
  return { values: values as Config, origins, warnings, misplaced } // narrowed: each layer was checked against the schema
}

/** Returns every value that is no table, under its key in `origins`. */
export function valuesByKey(values: object, path = ''): readonly (readonly [key: string, value: unknown])[] {
  return Object.entries(values).flatMap(([key, value]: [string, unknown]) => {
    const at = dottedKey(path, key)
    return isTable(value) ? valuesByKey(value, at) : [[at, value] as const]
  })
}

function dottedKey(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

interface Merge {
  readonly under: Record<string, unknown>
  readonly over: object
  readonly origin: string
  readonly path: string
}

function merge({ under, over, origin, path }: Merge, origins: Map<string, string>): Record<string, unknown> {
  const merged = { ...under }
  for (const [key, value] of Object.entries(over)) {
    if (value === undefined) continue
    const at = dottedKey(path, key)
    const below = merged[key]
    if (isTable(value))
      merged[key] = merge({ under: isTable(below) ? below : {}, over: value, origin, path: at }, origins)
    else {
      merged[key] = value
      origins.set(at, origin)
    }
  }
  return merged
}
