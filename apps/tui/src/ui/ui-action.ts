import type { Answers, ConversationState, EventOf, ListedConversation } from '@parley/protocol'
import type { Said } from '../view/said.ts'
import type { Painted } from './answer-guard.ts'
import type { Intent } from './intent.ts'
import type { KeyEvent } from './keys/key-event.ts'
import type { LostLog } from './storage-trouble.ts'
import type { Opened, UiState, Unsent } from './ui-state.ts'

/** What happened, as far as it matters to the screen. */
export type UiAction =
  | { readonly kind: 'key'; readonly event: KeyEvent }
  /** SIGINT from outside: the same as the key. */
  | { readonly kind: 'signal' }
  /** No key has come for a while; all that had arrived by now were taken. */
  | { readonly kind: 'quiet' }
  /** A frame is on the screen. */
  | ({ readonly kind: 'painted' } & Painted)
  | { readonly kind: 'linked'; readonly clientId: string; readonly serverPid: number | null }
  | { readonly kind: 'lost' }
  | { readonly kind: 'opened'; readonly opened: Opened }
  /** What was sent in this folder before, oldest first. */
  | { readonly kind: 'recalled'; readonly prompts: readonly string[] }
  /** To be sent as soon as there is a conversation. */
  | { readonly kind: 'hold'; readonly message: Unsent }
  | { readonly kind: 'acknowledged'; readonly messageId: string }
  /** The server did not take the message; its text comes back. */
  | { readonly kind: 'notTaken'; readonly message: Unsent }
  | { readonly kind: 'tookBack'; readonly text: string }
  /** The answer did not count. */
  | { readonly kind: 'answerRefused'; readonly approvalId: string }
  /** The tool server does not take what was filled in: it says what is wrong with which field. */
  | {
      readonly kind: 'formRefused'
      readonly approvalId: string
      readonly answers: Answers
      readonly field: string
      readonly problem: string
    }
  /** Someone answered an approval. */
  | { readonly kind: 'answered'; readonly event: EventOf<'approval.decided'> }
  /** Someone changed settings. */
  | { readonly kind: 'configured'; readonly event: EventOf<'conversation.configured'> }
  | { readonly kind: 'say'; readonly said: Said }
  /** Others changed the log. `isAnswer`: something was asked for, and was not done. */
  | { readonly kind: 'logLost'; readonly log: LostLog; readonly isAnswer: boolean }
  /** A project's configuration was shown, all of it; null when there is none. */
  | { readonly kind: 'trustShown'; readonly hash: string | null }
  | { readonly kind: 'pick'; readonly liveOnly: boolean }
  | { readonly kind: 'listed'; readonly conversations: readonly ListedConversation[] }
  /** Connections to the conversation, this one included. */
  | { readonly kind: 'counted'; readonly clients: number }

export interface UiContext {
  readonly state: ConversationState | null
  readonly nowMs: number
  readonly columns: number
  /** An id for the message that this action may send. */
  readonly freshId: string
}

export interface UiStep {
  readonly ui: UiState
  readonly intents: readonly Intent[]
}

export function stepTo(ui: UiState, ...intents: readonly Intent[]): UiStep {
  return { ui, intents }
}
