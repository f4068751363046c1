import { existsSync, statSync } from 'node:fs'
import { posix, resolve } from 'node:path'
import type { Actor, ConversationEvent, ConversationState, Overrides, Settings } from '@parley/protocol'
import { chosenEnvironment, environmentNamed, folderThere } from '../config/choose-environment.ts'
import { chooseProvider, keyVariables } from '../config/choose-provider.ts'
import { type EffectiveConfig, readEffectiveConfig, readProfile } from '../config/effective-config.ts'
import { layerOfOverrides } from '../config/read-layer.ts'
import { flagsAsConfig, settingsFromConfig, tierOf } from '../config/settings-from-config.ts'
import type { Environment } from '../model/http-agents.ts'
import { isRecordedProvider, isUsable, providerOf } from './model-sources.ts'
import { refusal } from './refusal.ts'

export interface SettledStart {
  readonly cwd: string
  readonly settings: Settings
  readonly warnings: readonly string[]
}

export type StartParams = Overrides & { readonly cwd: string; readonly baseInstructions?: string }

interface Around {
  /** `$PARLEY_HOME`. */
  readonly home: string
  readonly env: Environment
}

export function readConfig(home: string, overrides: Overrides): EffectiveConfig {
  const { profile, config } = overrides
  return readEffectiveConfig({
    home,
    flags: flagsAsConfig(overrides),
    ...(profile === undefined ? {} : { profile }),
    ...(config === undefined ? {} : { config }),
  })
}

/** What a new conversation runs with. Refuses early what could not work: no folder, no provider, no key. */
export function settleStart(params: StartParams, { home, env }: Around): SettledStart {
  const { values, warnings } = readConfig(home, params)
  const cwd = startFolder(params, values)
  const provider = chooseProvider(values, env)
  if (provider === null) throw noProvider(keyVariables(values), warnings)
  if (!isRecordedProvider(provider.id) && values.model_providers?.[provider.id]?.wire_api !== 'recorded')
    assertUsable(provider.id, values, env)
  const settings = settingsFromConfig(values, provider, { ...params, cwd })
  if (settings.policyFile !== undefined && !existsSync(settings.policyFile)) {
    throw refusal('configInvalid', `The policy file ${settings.policyFile} does not exist.`, {
      where: settings.policyFile,
    })
  }
  if (settings.environment === undefined) assertAdded((params.addDirs ?? []).map((root) => resolve(cwd, root)))
  return { cwd, settings, warnings }
}

/** With the warnings: a mistyped key may be why. */
function noProvider(variables: readonly string[], warnings: readonly string[]) {
  return refusal(
    'noCredentials',
    [
      `No model is configured: ${variables.join(', ')} ${variables.length === 1 ? 'is' : 'are'} not set and no local server is chosen. Set a key, or run \`parley demo\` to try it without one.`,
      ...warnings,
    ].join(' '),
    { variables },
  )
}

function assertUsable(providerId: string, config: EffectiveConfig['values'], env: Environment): void {
  const provider = providerOf(providerId, config, env)
  if (provider === null) {
    throw refusal(
      'unknownProvider',
      `There is no model provider "${providerId}". Configure [model_providers.${providerId}] with a base_url in config.toml.`,
    )
  }
  if (!isUsable(provider, env)) {
    throw refusal(
      'noCredentials',
      `${provider.name} needs a key: set ${provider.envKey}, or choose another model_provider.`,
      { variables: [provider.envKey ?? ''] },
    )
  }
}

/** Whether a folder of another machine exists is asked of it when the conversation is opened. */
function startFolder({ cwd, environmentCwd }: StartParams, config: EffectiveConfig['values']): string {
  const name = chosenEnvironment(config)
  return name === null ? existingFolder(cwd) : folderThere(name, environmentNamed(name, config), environmentCwd)
}

/** Of another machine only the machine knows. */
function assertAdded(folders: readonly string[]): void {
  const missing = folders.find((folder) => !isFolder(folder))
  if (missing === undefined) return
  throw refusal('configInvalid', `The added folder ${missing} does not exist.`, { where: 'addDirs' })
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function existingFolder(path: string): string {
  const folder = resolve(path)
  if (isFolder(folder)) return folder
  throw refusal('cwdMissing', `The folder ${folder} does not exist.`, { cwd: folder })
}

/** What a resume changes: flags of the caller against what was recorded; the recorded values win where there is none. */
export function settleResume(
  state: ConversationState,
  overrides: Overrides,
  { by, home }: { readonly by: Actor; readonly home: string },
): readonly ConversationEvent[] {
  const { meta, settings } = state.core
  const cwd = resumeFolder(state, overrides)
  const { environment, model, modelProvider, effort, approvalPolicy, sandbox } = {
    ...choicesIn(overrides, home),
    ...overrides,
  }
  assertSameMachine(settings.environment, environment)
  const addedRoots = (overrides.addDirs ?? []).map((root) => resolve(cwd, root))
  if (settings.environment === undefined) assertAdded(addedRoots)
  const roots = [...new Set([...settings.writableRoots, ...addedRoots])]
  const change = {
    ...differing('model', model, settings.model),
    ...differing('modelProvider', modelProvider, settings.modelProvider),
    ...differing('effort', effort, settings.effort),
    ...differing('approvalPolicy', approvalPolicy, settings.approvalPolicy),
    ...differing('sandbox', sandbox, settings.sandbox),
    ...(sandbox === undefined ? {} : differing('tier', tierOf(sandbox), settings.tier)),
    ...(roots.length === settings.writableRoots.length ? {} : { writableRoots: roots }),
  }
  return [
    ...(cwd === meta.cwd ? [] : [{ type: 'conversation.moved' as const, cwd, by }]),
    ...(Object.keys(change).length === 0 ? [] : [{ type: 'conversation.configured' as const, settings: change, by }]),
  ]
}

function resumeFolder({ core: { meta, settings } }: ConversationState, overrides: Overrides): string {
  if (settings.environment === undefined) return existingFolder(overrides.cwd ?? meta.cwd)
  return posix.resolve(meta.cwd, overrides.environmentCwd ?? '.')
}

/** Its paths, its patches and what it knows of files are of one machine. */
function assertSameMachine(recorded: string | undefined, asked: string | undefined): void {
  if (asked === undefined || chosenEnvironment({ environment: asked }) === (recorded ?? null)) return
  const where = recorded === undefined ? 'on this machine' : `in environment ${recorded}`
  throw refusal('configInvalid', `This conversation works ${where}, and that cannot be changed. Start a new one.`, {
    where: 'environment',
  })
}

/** A profile and `-c` of a resume count as its flags do, which outrank them; the files do not: the recorded values are newer. */
function choicesIn({ config = {}, profile }: Overrides, home: string): Overrides {
  const chosen = profile === undefined ? {} : readProfile(home, profile)
  const { model, model_provider: modelProvider, ...others } = { ...chosen, ...layerOfOverrides(config, '-c').values }
  const { model_reasoning_effort: effort, approval_policy: approvalPolicy, sandbox_mode: sandbox } = others
  const { environment } = others
  return {
    ...(model === undefined ? {} : { model }),
    ...(modelProvider === undefined ? {} : { modelProvider }),
    ...(effort === undefined ? {} : { effort }),
    ...(approvalPolicy === undefined ? {} : { approvalPolicy }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(environment === undefined ? {} : { environment }),
  }
}

function differing<Key extends string, Value>(
  key: Key,
  wanted: Value | undefined,
  known: Value | undefined,
): Partial<Record<Key, Value>> {
  if (wanted === undefined || wanted === known) return {}
  const change: Partial<Record<Key, Value>> = {}
  change[key] = wanted
  return change
}
