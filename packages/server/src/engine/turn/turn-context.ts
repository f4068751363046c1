import type { ModelCall, ModelClient, RetryLimits } from '@parley/models'
import type { Grant, Rules, UserRules } from '@parley/policy'
import type { Redaction } from '@parley/redaction'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Tool } from '../../tools/tool.ts'
import type { OpenQuestions } from '../calls/ask-user.ts'
import type { RequestSource } from '../context/request-source.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { StoragePatience } from '../conversation/storage-patience.ts'
import type { ConversationLimits } from '../limits/conversation-limits.ts'

/** One move of the turn loop: what it works on, and the signal that takes it back. */
export interface Run {
  readonly conversation: Conversation
  readonly bench: Bench
  readonly patience: StoragePatience
  /** Its reason is a `StopReason`. */
  readonly signal: AbortSignal
}

/** `shutdown` leaves less time to what is stopped. */
export type StopReason = 'interrupted' | 'shutdown'

/** What the turn loop works with besides the conversation. */
export interface Bench {
  readonly clock: Clock
  readonly ids: Ids
  /** 0 ≤ x < 1, for the jitter of retries. */
  readonly random: () => number
  readonly redaction: Redaction
  /** Exact calls that hold a secret, by item: the log has them with marks. They end with the process. */
  readonly secretCalls: Map<string, ModelCall>
  /** Codes of notices that are said once. */
  readonly told: Set<string>
  /** Ours, and those of MCP servers that the log says were offered. */
  readonly tools: readonly Tool[]
  /** Those of the user as they are now, and those given with this conversation. */
  readonly rules: Rules
  /** Where a yes for always is written down. */
  readonly userRules: UserRules
  /** What `approvedForSession` granted; ends with the process. */
  readonly grants: Grant[]
  /** What enforces the limits of commands. */
  readonly limits: ConversationLimits
  /** Of the conversation's settings now. */
  readonly model: () => ModelSource
  readonly requests: RequestSource
  /** clientIds that can answer an approval now. */
  readonly answerers: () => readonly string[]
  /** Whether a call that runs may ask the user something: not in a script, nor where the policy is never to ask. */
  readonly mayAsk: () => boolean
  readonly questions: OpenQuestions
}

export interface ModelSource {
  readonly client: ModelClient
  readonly limits: RetryLimits
  readonly contextWindow: number | null
}
