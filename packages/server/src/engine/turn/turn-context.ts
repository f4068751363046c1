import type { Rules, UserRules } from '@parley/policy'
import type { Redaction } from '@parley/redaction'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Tool } from '../../tools/tool.ts'
import type { RequestSource } from '../context/request-source.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { StoragePatience } from '../conversation/storage-patience.ts'
import type { ConversationLimits } from '../limits/conversation-limits.ts'
import type { ModelSource } from '../settings/model-sources.ts'
import type { SessionMemory } from './session-memory.ts'

/** Context of one step of the turn loop. */
export interface TurnContext {
  readonly conversation: Conversation
  readonly modules: TurnModules
  readonly patience: StoragePatience
  /** Aborts the step; its reason is a `StopReason`. */
  readonly signal: AbortSignal
}

/** `shutdown` leaves stopped processes less time than `interrupted`. */
export type StopReason = 'interrupted' | 'shutdown'

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
  readonly limits: ConversationLimits
  /** Returns the model of the current settings. */
  readonly model: () => ModelSource
  readonly requests: RequestSource
  /** Returns the clientIds that can answer an approval now. */
  readonly answerers: () => readonly string[]
  /** Tells if a running call may ask the user: not in a script, and not under the policy `never`. */
  readonly mayAsk: () => boolean
}
