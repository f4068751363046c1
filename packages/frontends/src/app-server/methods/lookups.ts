import { resolve } from 'node:path'
import type { ResultOf } from '@parley/protocol'
import { permissionProfiles } from '../shapes/permission-profiles.ts'
import { policyName } from '../shapes/settings.ts'
import type { AppSession } from '../threads/session.ts'
import { type CodexParams, codexParams } from '../wire/params.ts'
import { type AppMethod, answers, method, refused } from './method.ts'

/** Methods that tell what there is: models, configuration, account, and lists of what only Codex has. */
export const lookupMethods: Readonly<Record<string, AppMethod>> = {
  'account/read': answers({ account: null, userId: null, requiresOpenaiAuth: false, workspaceRouting: null }),
  getAuthStatus: method(codexParams.any, () => ({ authMethod: null, authToken: null, requiresOpenaiAuth: false })),
  'account/bedrock/checkGovCloudRequirements': answers({ isGovCloud: false, shouldWarn: false }),
  'model/list': listModels,
  'modelProvider/list': method(codexParams.any, listProviders),
  'config/read': method(codexParams.configRead, readConfig),
  'configRequirements/read': answers({ supportsIndependentSpeedModes: false, requirements: null }),
  'collaborationMode/list': answers({
    data: [{ name: 'Default', mode: 'default', model: null, reasoning_effort: null }],
  }),
  'permissionProfile/list': ({ parts }) => ({
    data: permissionProfiles(parts.limits.ceiling().sandbox),
    nextCursor: null,
  }),
  'experimentalFeature/list': answers({ data: [], nextCursor: null }),
  'mcpServerStatus/list': answers({ data: [], nextCursor: null }),
  'plugin/installed': answers({ marketplaces: [], marketplaceLoadErrors: [] }),
  'plugin/list': answers({ marketplaces: [], marketplaceLoadErrors: [], featuredPluginIds: [] }),
  'app/list': answers({ data: [], nextCursor: null }),
  'skills/list': method(codexParams.cwds, (_, params) => ({ data: perFolder(params, { skills: [], errors: [] }) })),
  'hooks/list': method(codexParams.cwds, (_, params) => ({
    data: perFolder(params, { hooks: [], warnings: [], errors: [] }),
  })),
  ...refused(
    ['config/value/write', 'config/batchWrite', 'skills/config/write', 'modelProvider/config/write'],
    'this server does not write configuration; edit config.toml of parley',
  ),
}

function perFolder({ cwds }: CodexParams<'cwds'>, entry: object) {
  return (cwds ?? []).map((cwd) => ({ cwd, ...entry }))
}

const efforts = ['low', 'medium', 'high'].map((reasoningEffort) => ({ reasoningEffort, description: '' }))

/** Lists the models of the chosen provider: from its last list, without asking it, and the one a thread would use. */
async function listModels(session: AppSession) {
  const parley = await session.parley()
  const [{ chosen }, { models }] = await Promise.all([
    parley.request('provider/list', {}),
    parley.request('model/list', { kept: true }),
  ])
  const listed = models.filter(({ provider }) => provider === chosen?.provider).map(({ id }) => id)
  const ids = chosen === null ? listed : [chosen.model, ...listed.filter((id) => id !== chosen.model)]
  return {
    data: ids.map((id) => modelShape(id, { isDefault: id === chosen?.model, provider: chosen?.provider ?? '' })),
    nextCursor: null,
  }
}

function modelShape(id: string, { isDefault, provider }: { readonly isDefault: boolean; readonly provider: string }) {
  return {
    id,
    model: id,
    upgrade: null,
    upgradeInfo: null,
    availabilityNux: null,
    displayName: id,
    description: `Model of ${provider}`,
    modelSpecialty: null,
    hidden: false,
    supportedReasoningEfforts: efforts,
    defaultReasoningEffort: 'medium',
    inputModalities: ['text', 'image'],
    supportsPersonality: false,
    multiAgentVersion: null,
    additionalSpeedTiers: [],
    serviceTiers: [],
    defaultServiceTier: null,
    availableAccessPrograms: null,
    isDefault,
  }
}

/** Lists the providers. No client changes their configuration. */
async function listProviders(session: AppSession) {
  const { providers, chosen } = await (await session.parley()).request('provider/list', {})
  return { data: providers.map(providerShape), defaultProviderId: chosen?.provider ?? '', canChangeDefault: false }
}

type ListedProvider = ResultOf<'provider/list'>['providers'][number]

/** Returns a provider without its address where that may hold a name or a key. */
function providerShape({ id, name, origin, wire, baseUrl, key, variables, keyFrom }: ListedProvider) {
  const { username, password, search } = URL.parse(baseUrl) ?? { username: '', password: '', search: '' }
  const isOpenAi = origin === 'builtIn' && id === 'openai'
  return {
    id,
    name,
    canEdit: false,
    baseUrl: wire === 'recorded' || baseUrl === '' || `${username}${password}${search}` !== '' ? null : baseUrl,
    settings: isOpenAi ? { type: 'openai' } : { type: 'customGateway', auth: authShape(key, keyFrom ?? variables[0]) },
  }
}

function authShape(key: ListedProvider['key'], variable: string | undefined) {
  if (key === 'notNeeded') return { mode: 'none' }
  if (key === 'kept' || variable === undefined) return { mode: 'externallyConfigured', envKey: null }
  return { mode: 'environmentVariable', envKey: variable }
}

/** Returns the settings of the configuration that Codex has, too, as `config/read` names them. */
async function readConfig(session: AppSession, { cwd, includeLayers }: CodexParams<'configRead'>) {
  const parley = await session.parley()
  const { values } = await parley.request('config/read', { cwd: resolve(cwd ?? '.') })
  return { config: configShape(values), origins: {}, layers: includeLayers === true ? [] : null }
}

function configShape(values: ResultOf<'config/read'>['values']) {
  const setting = (key: string) => values.find((one) => one.key === key)?.value ?? null
  const policy = setting('approval_policy')
  return {
    model: setting('model'),
    model_provider: setting('model_provider'),
    model_reasoning_effort: setting('model_reasoning_effort'),
    approval_policy: policy === 'on-failure' ? policyName(policy) : policy,
    sandbox_mode: setting('sandbox_mode'),
    compact_prompt: setting('compact_prompt'),
  }
}
