import { type Config, networkPatienceMs } from '@parley/config'
import { configDefaults } from '@parley/config/defaults'
import type { ModelClient, ModelFacts, ModelFailure } from '@parley/models'
import type { Rules, UserRules } from '@parley/policy'
import {
  type ClientId,
  type Failure,
  type ItemId,
  type ModelChoice,
  modelInUse,
  type Settings,
  settingsInForce,
  type TurnBudget,
} from '@parley/protocol'
import type { Redaction } from '@parley/redaction'
import type { ConversationMcp } from '../context/conversation-mcp.ts'
import { createRequestSource, type RequestContext, type RequestSource } from '../context/request-source.ts'
import { gatherContext } from '../context/session-context.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { StoragePatience } from '../conversation/storage-patience.ts'
import type { Fallback } from '../core/fallback-model.ts'
import type { FileHistory } from '../history/file-history.ts'
import type { ConversationHooks } from '../hooks/conversation-hooks.ts'
import type { Ceiling } from '../limits/ceiling.ts'
import type { ConversationLimits } from '../limits/conversation-limits.ts'
import type { Clock, Ids } from '../ports/clock-and-ids.ts'
import type { ConversationProject } from '../project/conversation-project.ts'
import { createForegroundCalls, type ForegroundCalls } from '../session/foreground-calls.ts'
import type { Participants } from '../session/participants.ts'
import { createSessionMemory, type SessionMemory } from '../session/session-memory.ts'
import type { ModelSource } from '../settings/model-sources.ts'
import type { ToolPorts } from '../tools/define-tool.ts'
import { createTools } from '../tools/registry.ts'
import type { Tool } from '../tools/tool.ts'
import { failureOfCall } from './refusal.ts'
import { createRetryWait, type RetryWait } from './retry-wait.ts'

/** Context of one step of the turn loop. */
export interface TurnContext {
  readonly conversation: Conversation
  readonly modules: TurnModules
  readonly patience: StoragePatience
  /** Aborts the step; its reason is an `AbortReason`. */
  readonly signal: AbortSignal
}

/** Modules of a conversation that a turn uses besides its record. */
export interface TurnModules {
  readonly clock: Clock
  readonly ids: Ids
  /** Returns 0 ≤ x < 1, for the jitter of retries. */
  readonly random: () => number
  readonly redaction: Redaction
  readonly memory: SessionMemory
  /** Built-in tools, then tools of the MCP servers that the log says were offered. */
  readonly tools: readonly Tool[]
  /** Rules of the user's file as it is now, then rules given with this conversation. */
  readonly rules: Rules
  /** Rules file that permanent permissions are written to. */
  readonly userRules: UserRules
  /** Project of the folder, without whose rules and hooks nothing is done. */
  readonly project: Pick<ConversationProject, 'isRead' | 'problem' | 'read'>
  readonly limits: ConversationLimits
  readonly foreground: ForegroundCalls
  /** Calls of an earlier server whose runs an exec-server has kept, with the ms that they had run; those not followed yet. */
  readonly runningOn: Map<ItemId, number>
  /** Settings of the log when it was opened here, before a resume or the ceiling changed them. */
  readonly settingsBefore: Settings
  readonly history: FileHistory
  readonly hooks: ConversationHooks
  /** Returns the model that makes the next call. */
  readonly model: () => CurrentModel
  /** Tells if the configuration that the conversation was opened with has a provider of this id. */
  readonly knowsProvider: (providerId: string) => boolean
  /** Gathers the context of a request, as found now. */
  readonly gather: () => Promise<RequestContext>
  readonly requests: RequestSource
  readonly compaction: CompactionSettings
  /** Limits of the whole conversation. */
  readonly budget: TurnBudget
  /** Models that take over, in order, when the retries of a call are used up. */
  readonly fallbacks: readonly Fallback[]
  readonly retryWait: RetryWait
  /** Returns for how long a provider that is out of reach is tried again; 0 for as often as any request. */
  readonly networkPatienceMs: () => number
  /** Returns the failure that ends a turn, for a call of the model that failed for good. */
  readonly failureOfCall: (failure: ModelFailure) => Failure
  /** Returns the clientIds that can answer an approval now. */
  readonly answerers: () => readonly ClientId[]
  /** Tells if a running call may ask the user: not in a script, and not under the policy `never`. */
  readonly mayAsk: () => boolean
  /** Tells if someone can let a turn go on beyond a limit of the conversation, now or on return. */
  readonly mayRaiseLimit: () => boolean
  /** Returns the address by which clients reach this server of a store, null for none; null where no server shares it. */
  readonly sharedBy: (() => string | null) | null
  /** Returns the most that this server allows. */
  readonly ceiling: () => Pick<Ceiling, 'sandbox'>
}

/** Model that makes the next call: the client of its provider and what is known of it. */
export interface CurrentModel extends Pick<ModelSource, 'client' | 'limits' | 'factsOf' | 'maxOutputOf' | 'lacksKey'> {
  readonly choice: ModelChoice
  readonly facts: ModelFacts
  /** Output limit that the user set. */
  readonly maxOutputTokens: number | undefined
}

interface ModuleParts {
  readonly conversation: Conversation
  readonly clients: Participants
  readonly toolPorts: ToolPorts
  readonly mcp: ConversationMcp
  readonly limits: ConversationLimits
  readonly history: FileHistory
  readonly hooks: ConversationHooks
  /** Returns the rules of this conversation besides the user's own. */
  readonly givenRules: () => Rules
  readonly project: TurnModules['project']
  readonly sourceOf: (providerId: string) => ModelSource
  readonly config: Config
  readonly fallbacks: readonly Fallback[]
  readonly runningOn: ReadonlyMap<ItemId, number>
  /** True where servers share it. */
  readonly isShared: boolean
}

interface Ports extends Pick<TurnModules, 'clock' | 'ids' | 'random' | 'redaction' | 'userRules' | 'ceiling'> {
  /** `$PARLEY_HOME`. */
  readonly home: string
  /** Returns the address by which clients of a team reach this server; null for none. */
  readonly announced: () => string | null
}

/** Builds what a conversation's turns use: tools, rules, requests and session memory. */
export function createTurnModules(
  parts: ModuleParts,
  { clock, ids, random, redaction, userRules, home, announced, ceiling }: Ports,
): TurnModules {
  const { conversation, clients, toolPorts, mcp, limits, history, hooks, givenRules, sourceOf, fallbacks, config } =
    parts
  const tools = createTools(toolPorts)
  const model = (): CurrentModel => {
    const choice = modelInUse(conversation.state.core)
    const { client, limits: retries, isUnknown: _, ...source } = sourceOf(choice.modelProvider)
    const { model: name } = choice
    const own = { facts: source.factsOf(name), maxOutputTokens: source.maxOutputOf(name) }
    return { ...source, client: actingClient(client, conversation), limits: retries, choice, ...own }
  }
  const { environment, skills } = toolPorts
  const gather = async () => {
    const { toolShape } = model().facts
    await skills.refresh()
    return gatherContext(conversation, { home, environment, nowMs: clock.now(), toolShape, skills: skills.listed })
  }
  return {
    clock,
    ids,
    random,
    redaction,
    memory: createSessionMemory(),
    get tools() {
      return [...tools, ...mcp.tools()]
    },
    get rules() {
      return [...userRules.rules, ...givenRules()]
    },
    userRules,
    project: parts.project,
    limits,
    foreground: createForegroundCalls(),
    runningOn: new Map(parts.runningOn),
    settingsBefore: conversation.state.core.settings,
    history,
    hooks,
    model,
    knowsProvider: (providerId) => sourceOf(providerId).isUnknown !== true,
    gather,
    requests: createRequestSource({ conversation, tools, offered: mcp.offered, model, gather }),
    compaction: compactionSettings(config),
    budget: budgetOf(config),
    fallbacks,
    retryWait: createRetryWait(clock),
    failureOfCall: (failure) => failureOfCall(conversation, failure),
    networkPatienceMs: () =>
      config.network_patience === undefined && clients.onlyScripts ? 0 : networkPatienceMs(config),
    answerers: () => clients.answerers,
    // Followers that cannot answer mean a script; without followers a person may still return and answer.
    mayAsk: () =>
      settingsInForce(conversation.state.core).approvalPolicy !== 'never' &&
      (clients.answerers.length > 0 || clients.followerCount === 0),
    mayRaiseLimit: () => clients.canRaiseLimits || clients.followerCount === 0,
    sharedBy: parts.isShared ? announced : null,
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

/** Keys of the configuration about compaction; null where they are not set. */
interface CompactionSettings {
  /** Tokens of a request from which on it is compacted. */
  readonly limit: number | null
  /** Percent of the window from which on it is compacted where `limit` is null. */
  readonly percent: number
  /** Model of the same provider that writes the summary, in place of the conversation's. */
  readonly model: string | null
  readonly prompt: string | null
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
