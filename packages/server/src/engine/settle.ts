import { existsSync, statSync } from 'node:fs'
import { posix, resolve } from 'node:path'
import type { Actor, ConversationEvent, ConversationState, Overrides, Settings } from '@parley/protocol'
import { chosenEnvironment, environmentNamed, folderThere } from '../config/choose-environment.ts'
import { chooseProvider, keyVariables } from '../config/choose-provider.ts'
import { type EffectiveConfig, readProfile } from '../config/effective-config.ts'
import { layerOfOverrides } from '../config/read-layer.ts'
import { settingsFromConfig, tierOf } from '../config/settings-from-config.ts'
import type { Environment } from '../model/http-agents.ts'
import type { Projects } from '../trust/project.ts'
import { repositoryAroundHome } from '../trust/project-root.ts'
import { type Asked, type Ceiling, loweredText, underCeiling } from './ceiling.ts'
import { configHere } from './config-here.ts'
import { fittingMode, rootWarnings, wholeSystemText } from './fit-roots.ts'
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
  readonly projects: Pick<Projects, 'of'>
  readonly ceiling: () => Ceiling
}

/** What a new conversation runs with. Refuses early what could not work: no folder, no provider, no key. */
export function settleStart(params: StartParams, around: Around): SettledStart {
  const { home, env } = around
  const { effective } = configHere(params.cwd, params, around)
  const { values, warnings } = limited(effective, { ...choicesIn(params, home), ...params }, around.ceiling())
  const cwd = startFolder(params, values)
  if (chosenEnvironment(values) === null) assertHomeOutside(cwd, around)
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
  if (settings.environment !== undefined) return { cwd, settings, warnings }
  assertAdded((params.addDirs ?? []).map((root) => resolve(cwd, root)))
  const workplace = { roots: [cwd, ...settings.writableRoots], sandbox: settings.sandbox }
  return {
    cwd,
    settings: { ...settings, sandbox: fittingMode(workplace) },
    warnings: [...warnings, ...rootWarnings(workplace, env['HOME'])],
  }
}

/** What the caller has not asked for itself is lowered to what this server allows. */
function limited({ values, warnings }: EffectiveConfig, asked: Asked, ceiling: Ceiling) {
  const wanted = {
    sandbox: values.sandbox_mode ?? 'workspace-write',
    approvalPolicy: values.approval_policy ?? 'on-request',
  }
  const allowed = underCeiling(wanted, asked, ceiling)
  const lowered = values.sandbox_mode === undefined ? null : loweredText(wanted, allowed, 'The configuration says')
  return {
    values: { ...values, sandbox_mode: allowed.sandbox, approval_policy: allowed.approvalPolicy },
    warnings: [...warnings, ...(lowered === null ? [] : [lowered])],
  }
}

/** A repository must not be where the user's own configuration comes from. */
function assertHomeOutside(cwd: string, { home, env }: Around): void {
  const repository = repositoryAroundHome(cwd, home, env['HOME'])
  if (repository === null) return
  throw refusal(
    'configInvalid',
    `PARLEY_HOME (${home}) lies in the repository ${repository}, whose files would be your own configuration. Set PARLEY_HOME to a folder outside it.`,
    { where: 'PARLEY_HOME' },
  )
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

interface Resumer {
  readonly by: Actor
  readonly home: string
  readonly ceiling: () => Ceiling
  readonly newItemId: () => string
}

/** What a resume changes: flags of the caller against what was recorded; the recorded values win where there is none. */
export function settleResume(
  state: ConversationState,
  overrides: Overrides,
  { by, home, ceiling, newItemId }: Resumer,
): readonly ConversationEvent[] {
  const { meta, settings } = state.core
  const cwd = resumeFolder(state, overrides)
  const asked = { ...choicesIn(overrides, home), ...overrides }
  const { environment, model, modelProvider, effort } = asked
  const { approvalPolicy: recordedPolicy, sandbox: recordedSandbox } = settings
  const wanted = { approvalPolicy: recordedPolicy, sandbox: recordedSandbox, ...limitsIn(asked) }
  const { approvalPolicy, sandbox: allowed } = underCeiling(wanted, asked, ceiling())
  assertSameMachine(settings.environment, environment)
  const addedRoots = (overrides.addDirs ?? []).map((root) => resolve(cwd, root))
  if (settings.environment === undefined) assertAdded(addedRoots)
  const roots = [...new Set([...settings.writableRoots, ...addedRoots])]
  const isHere = settings.environment === undefined
  const sandbox = isHere ? fittingMode({ roots: [cwd, ...roots], sandbox: allowed }) : allowed
  const change = {
    ...differing('model', model, settings.model),
    ...differing('modelProvider', modelProvider, settings.modelProvider),
    ...differing('effort', effort, settings.effort),
    ...differing('approvalPolicy', approvalPolicy, settings.approvalPolicy),
    ...differing('sandbox', sandbox, settings.sandbox),
    ...differing('tier', tierAfter(sandbox, settings.tier), settings.tier),
    ...(roots.length === settings.writableRoots.length ? {} : { writableRoots: roots }),
    ...sandboxKeys(overrides, settings),
  }
  return [
    ...(cwd === meta.cwd ? [] : [{ type: 'conversation.moved' as const, cwd, by }]),
    ...(Object.keys(change).length === 0 ? [] : [{ type: 'conversation.configured' as const, settings: change, by }]),
    ...loweredNotice(
      loweredText(wanted, { approvalPolicy, sandbox: allowed }, 'This conversation was recorded with'),
      newItemId,
    ),
    ...loweredNotice(sandbox === allowed ? null : wholeSystemText, newItemId),
  ]
}

/** `-c` of a resume counts for these as well: programs that drive parley say them each time. */
function sandboxKeys({ config = {} }: Overrides, settings: Settings): Partial<Settings> {
  const { network_access, allow_unix_sockets } = layerOfOverrides(config, '-c').values.sandbox_workspace_write ?? {}
  return {
    ...differing('network', network_access, settings.network ?? false),
    ...differing('unixSockets', allow_unix_sockets, settings.unixSockets ?? false),
  }
}

/** What enforces a limited mode is known once the place has been asked; until then what was recorded stands. */
function tierAfter(sandbox: Settings['sandbox'], recorded: Settings['tier']): Settings['tier'] {
  return sandbox === 'danger-full-access' || recorded === 'D' ? tierOf(sandbox) : recorded
}

function limitsIn({ approvalPolicy, sandbox }: Overrides): Asked {
  return {
    ...(approvalPolicy === undefined ? {} : { approvalPolicy }),
    ...(sandbox === undefined ? {} : { sandbox }),
  }
}

/** A log is no authority on limits: what it says is lowered to what this server allows, and it says so from then on. */
function loweredNotice(title: string | null, newItemId: () => string): ConversationEvent[] {
  if (title === null) return []
  const item = {
    id: newItemId(),
    type: 'notice',
    status: 'completed',
    level: 'warning',
    code: 'limitsLowered',
  } as const
  return [{ type: 'item.completed', item: { ...item, title, text: '' } }]
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
  const own = layerOfOverrides(config, '-c').values
  const name = profile ?? own.profile
  const chosen = name === undefined ? {} : readProfile(home, name)
  const { model, model_provider: modelProvider, ...others } = { ...chosen, ...own }
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
