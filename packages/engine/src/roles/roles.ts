import type { ImageLimits, ModelFacts, ModelFailure } from '@parley/models'
import type { Rules, UserRules } from '@parley/policy'
import type { ClientId, Failure, ModelChoice, Settings, TurnBudget } from '@parley/protocol'
import type { Redaction } from '@parley/redaction'
import type { RequestContext, RequestSource } from '../context/request-source.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { StorageRetry } from '../conversation/storage-retry.ts'
import type { Fallback } from '../core/fallback-model.ts'
import type { FileHistory } from '../history/file-history.ts'
import type { ConversationHooks } from '../hooks/conversation-hooks.ts'
import type { Ceiling } from '../limits/ceiling.ts'
import type { ConversationLimits } from '../limits/conversation-limits.ts'
import type { Clock, Ids } from '../ports/clock-and-ids.ts'
import type { ConversationProject } from '../project/conversation-project.ts'
import type { RetryWait } from '../session/retry-wait.ts'
import type { SessionMemory } from '../session/session-memory.ts'
import type { ModelSource } from '../settings/model-sources.ts'
import type { Tool } from '../tools/contract/tool.ts'

/** Parts of a live conversation that its turns and commands use. */
export interface Roles {
  readonly record: RecordRole
  readonly model: ModelRole
  readonly act: ActRole
  readonly people: PeopleRole
}

/** Context of one step of the turn loop. */
export interface TurnContext extends Roles {
  /** Aborts the step; its reason is an `AbortReason`. */
  readonly signal: AbortSignal
}

/** Context of a request to the model. */
export type ModelContext = Pick<TurnContext, 'record' | 'model' | 'signal'>

/** Context of a call of the model, which tools carry out and a user may be asked about. */
export type CallContext = Pick<TurnContext, 'record' | 'act' | 'people' | 'signal'>

/** Record of a conversation: its log and side files, and the ids, times and redaction of new events. */
export interface RecordRole {
  readonly conversation: Conversation
  /** Repeats writes while the disk is full. */
  readonly storage: StorageRetry
  readonly clock: Clock
  readonly ids: Ids
  readonly redaction: Redaction
  /** Settings of the log when it was opened here, before a resume or the ceiling changed them. */
  readonly settingsBefore: Settings
}

/** Model of a conversation: requests to it, their retries, and limits on its use. */
export interface ModelRole {
  /** Returns the model that makes the next call. */
  readonly current: () => CurrentModel
  /** Tells if the configuration that the conversation was opened with has a provider of this id. */
  readonly knowsProvider: (providerId: string) => boolean
  /** Gathers the context of a request, as found now. */
  readonly gather: () => Promise<RequestContext>
  readonly requests: RequestSource
  readonly retry: ModelRetry
  readonly compaction: CompactionSettings
  /** Limits of the whole conversation. */
  readonly budget: TurnBudget
}

/** Model that makes the next call: the client of its provider and the facts about it. */
export interface CurrentModel extends Pick<ModelSource, 'client' | 'limits' | 'factsOf' | 'maxOutputOf' | 'lacksKey'> {
  readonly choice: ModelChoice
  readonly facts: ModelFacts
  /** Output limit that the user set. */
  readonly maxOutputTokens: number | undefined
}

/** Retries of failed calls of the model. */
export interface ModelRetry {
  /** Models that take over, in order, when the retries of a call are used up. */
  readonly fallbacks: readonly Fallback[]
  readonly wait: RetryWait
  /** Returns 0 ≤ x < 1, for the jitter of waits. */
  readonly random: () => number
  /** Returns for how long a provider that is out of reach is tried again; 0 for as often as any request. */
  readonly networkPatienceMs: () => number
  /** Returns the failure that ends a turn, for a call of the model that failed for good. */
  readonly failureOfCall: (failure: ModelFailure) => Failure
}

/** Keys of the configuration about compaction; null where they are not set. */
export interface CompactionSettings {
  /** Tokens of a request from which on it is compacted. */
  readonly limit: number | null
  /** Percent of the window from which on it is compacted where `limit` is null. */
  readonly percent: number
  /** Model of the same provider that writes the summary, in place of the conversation's. */
  readonly model: string | null
  readonly prompt: string | null
}

/** Actions of a conversation: its tools, with everything that limits, undoes and watches them. */
export interface ActRole {
  /** Built-in tools, then tools of the MCP servers that the log says were offered. */
  readonly tools: readonly Tool[]
  /** Returns the largest image that the API of the model takes. */
  readonly imageLimits: () => ImageLimits
  /** Project of the folder. Nothing is done before its rules and hooks are read. */
  readonly project: Pick<ConversationProject, 'isRead' | 'problem' | 'read'>
  readonly limits: ConversationLimits
  readonly history: FileHistory
  readonly hooks: ConversationHooks
  readonly memory: SessionMemory
}

/** People at a conversation, and the rights that they and the server have given it. */
export interface PeopleRole {
  /** Returns the clientIds that can answer an approval now. */
  readonly answerers: () => readonly ClientId[]
  /** Tells if a running call may ask the user: not in a script, and not under the policy `never`. */
  readonly mayAsk: () => boolean
  /** Tells if someone can let a turn go on beyond a limit of the conversation, now or on return. */
  readonly mayRaiseLimit: () => boolean
  /**
   * Returns the address by which clients reach this server of a store, if it has one; null where the conversation is
   * not shared.
   */
  readonly sharedBy: (() => string | null) | null
  /** Rules of the user's file as it is now, then rules given with this conversation. */
  readonly rules: Rules
  /** Rules file that permanent permissions are written to. */
  readonly userRules: UserRules
  /** Returns the most that this server allows. */
  readonly ceiling: () => Pick<Ceiling, 'sandbox'>
}
