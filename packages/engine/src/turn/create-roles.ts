import { type Config, networkPatienceMs } from '@parley/config'
import { configDefaults } from '@parley/config/defaults'
import { imageLimitsOf, type ModelClient } from '@parley/models'
import type { Rules } from '@parley/policy'
import { type ItemId, modelInUse, settingsInForce, type TurnBudget } from '@parley/protocol'
import type { ConversationMcp } from '../context/conversation-mcp.ts'
import { createRequestSource } from '../context/request-source.ts'
import { gatherContext } from '../context/session-context.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { failureOfCall } from '../model-calls/refusal.ts'
import type {
  ActRole,
  CompactionSettings,
  CurrentModel,
  ModelRetry,
  ModelRole,
  PeopleRole,
  RecordRole,
  Roles,
} from '../roles/roles.ts'
import type { Participants } from '../session/participants.ts'
import { createRetryWait } from '../session/retry-wait.ts'
import { createSessionMemory } from '../session/session-memory.ts'
import type { ModelSource } from '../settings/model-sources.ts'
import type { ToolPorts } from '../tools/contract/define-tool.ts'
import { createTools } from '../tools/registry.ts'

/** Parts of a live conversation that its roles are made of. */
interface RoleParts extends Pick<ActRole, 'limits' | 'history' | 'hooks' | 'project'>, Pick<PeopleRole, 'sharedBy'> {
  readonly log: Pick<RecordRole, 'conversation' | 'storage'>
  readonly clients: Participants
  readonly toolPorts: ToolPorts
  readonly mcp: ConversationMcp
  readonly models: ConfiguredModels
  /** Returns the rules of this conversation besides the user's own. */
  readonly givenRules: () => Rules
  readonly runningOn: ReadonlyMap<ItemId, number>
}

/** Models of a conversation, by the configuration that it was opened with. */
interface ConfiguredModels extends Pick<ModelRetry, 'fallbacks'> {
  readonly sourceOf: (providerId: string) => ModelSource
  readonly config: Config
}

interface RolePorts
  extends Pick<RecordRole, 'clock' | 'ids' | 'redaction'>,
    Pick<ModelRetry, 'random'>,
    Pick<PeopleRole, 'userRules' | 'ceiling'> {
  /** `$PARLEY_HOME`. */
  readonly home: string
}

/** Builds the roles of a live conversation. */
export function createRoles(parts: RoleParts, ports: RolePorts): Roles {
  const { toolPorts, mcp, clients, models } = parts
  const { conversation, storage } = parts.log
  const { clock, ids, redaction } = ports
  const settingsBefore = conversation.state.core.settings
  const record: RecordRole = { conversation, storage, clock, ids, redaction, settingsBefore }
  const current = () => currentModel(conversation, models)
  const tools = createTools(toolPorts)
  const requests = { tools, offered: mcp.offered, gather: contextGatherer(parts, ports, current) }
  return {
    record,
    model: createModelRole({ record, models, current, clients, requests }, ports),
    act: {
      get tools() {
        return [...tools, ...mcp.tools()]
      },
      imageLimits: () => imageLimitsOf(current().client),
      project: parts.project,
      limits: parts.limits,
      history: parts.history,
      hooks: parts.hooks,
      memory: createSessionMemory(parts.runningOn),
    },
    people: createPeopleRole(parts, ports),
  }
}

function currentModel(conversation: Conversation, { sourceOf }: ConfiguredModels): CurrentModel {
  const choice = modelInUse(conversation.state.core)
  const { client, limits, isUnknown: _, ...source } = sourceOf(choice.modelProvider)
  const { model: name } = choice
  const own = { facts: source.factsOf(name), maxOutputTokens: source.maxOutputOf(name) }
  return { ...source, client: actingClient(client, conversation), limits, choice, ...own }
}

/** Returns a function that gathers the context of a request, with the skills as they are now. */
function contextGatherer(
  { log: { conversation }, toolPorts: { environment, skills } }: RoleParts,
  { home, clock }: RolePorts,
  current: () => CurrentModel,
): ModelRole['gather'] {
  return async () => {
    const { toolShape } = current().facts
    await skills.refresh()
    return gatherContext(conversation, { home, environment, nowMs: clock.now(), toolShape, skills: skills.listed })
  }
}

interface ModelParts extends Pick<RoleParts, 'models' | 'clients'>, Pick<ModelRole, 'current'> {
  readonly record: RecordRole
  readonly requests: Pick<Parameters<typeof createRequestSource>[0], 'tools' | 'offered' | 'gather'>
}

function createModelRole(
  { record: { conversation, clock }, models: { sourceOf, fallbacks, config }, current, clients, requests }: ModelParts,
  { random }: RolePorts,
): ModelRole {
  const { tools, offered, gather } = requests
  return {
    current,
    knowsProvider: (providerId) => sourceOf(providerId).isUnknown !== true,
    gather,
    requests: createRequestSource({ conversation, tools, offered, model: current, gather }),
    retry: {
      fallbacks,
      wait: createRetryWait(clock),
      random,
      networkPatienceMs: () =>
        config.network_patience === undefined && clients.onlyScripts ? 0 : networkPatienceMs(config),
      failureOfCall: (failure) => failureOfCall(conversation, failure),
    },
    compaction: compactionSettings(config),
    budget: budgetOf(config),
  }
}

function createPeopleRole(
  { log: { conversation }, clients, givenRules, sharedBy }: RoleParts,
  { userRules, ceiling }: RolePorts,
): PeopleRole {
  return {
    answerers: () => clients.answerers,
    // Followers that cannot answer mean a script; without followers a person may still return and answer.
    mayAsk: () =>
      settingsInForce(conversation.state.core).approvalPolicy !== 'never' &&
      (clients.answerers.length > 0 || clients.followerCount === 0),
    mayRaiseLimit: () => clients.canRaiseLimits || clients.followerCount === 0,
    sharedBy,
    get rules() {
      return [...userRules.rules, ...givenRules()]
    },
    userRules,
    ceiling,
  }
}

/** Returns a client that asks a model only for a conversation that this server still has. */
function actingClient(client: ModelClient, conversation: Conversation): ModelClient {
  return {
    adapter: client.adapter,
    ...(client.toolRules === undefined ? {} : { toolRules: client.toolRules }),
    warmUp: () => client.warmUp?.(),
    async *stream(request, signal) {
      await conversation.mayAct()
      yield* client.stream(request, signal)
    },
    listModels: (signal) => client.listModels(signal),
  }
}

function budgetOf({ limits = {} }: Config): TurnBudget {
  const { max_turns: modelCalls, max_tokens: tokens, max_cost: costUsd } = limits
  return {
    ...(modelCalls === undefined ? {} : { modelCalls }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(costUsd === undefined ? {} : { costUsd }),
  }
}

function compactionSettings(config: Config): CompactionSettings {
  const { model_auto_compact_token_limit: limit, model_auto_compact_percent: percent } = config
  const { compact_model: model, compact_prompt: prompt } = config
  return {
    limit: limit ?? null,
    percent: percent ?? configDefaults.model_auto_compact_percent,
    model: model ?? null,
    prompt: prompt ?? null,
  }
}
