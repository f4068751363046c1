import type {
  Answers,
  ApprovalDecision,
  ConversationState,
  EventOf,
  ListedConversation,
  SettingsPatch,
  TrustVerdict,
} from '@parley/protocol'
import type { Painted } from './approval/answer-guard.ts'
import type { KeyEvent } from './keys/key-event.ts'
import type { Notice } from './notices/notice.ts'
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
  | { readonly kind: 'notice'; readonly notice: Notice }
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

/** What the user wants done that only the server or the process can do. */
export type Intent =
  | { readonly kind: 'send'; readonly message: Unsent }
  | { readonly kind: 'editQueued'; readonly messageId: string; readonly text: string }
  | { readonly kind: 'removeQueued'; readonly messageId: string }
  /** Removes it from the inbox and gives its text back to the composer. */
  | { readonly kind: 'takeBack'; readonly messageId: string; readonly text: string }
  | { readonly kind: 'interrupt'; readonly turnId: string }
  | { readonly kind: 'continue' }
  | {
      readonly kind: 'decide'
      readonly approvalId: string
      readonly decision: ApprovalDecision
      readonly note?: string
      /** Of a form that was filled in. */
      readonly answers?: Answers
    }
  | { readonly kind: 'shell'; readonly command: string }
  | { readonly kind: 'configure'; readonly settings: SettingsPatch }
  | { readonly kind: 'rename'; readonly name: string }
  | { readonly kind: 'fork'; readonly conversationId: string }
  | { readonly kind: 'open'; readonly conversationId: string }
  | { readonly kind: 'new' }
  | { readonly kind: 'list' }
  | { readonly kind: 'models' }
  /** Of the call that is named, or the last one. */
  | { readonly kind: 'why'; readonly item?: string }
  | { readonly kind: 'status' }
  | { readonly kind: 'mcp' }
  | { readonly kind: 'restartMcp'; readonly name: string }
  | { readonly kind: 'readTrust' }
  /** On what this window was shown under this hash. */
  | { readonly kind: 'decideTrust'; readonly hash: string; readonly verdict: TrustVerdict }
  | { readonly kind: 'restart' }
  /** Gives the terminal back to the shell for a while. */
  | { readonly kind: 'suspend' }
  /** What runs goes on without this window. */
  | { readonly kind: 'detach' }
  | { readonly kind: 'leave' }
