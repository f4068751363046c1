import type { Answers, ApprovalDecision, SettingsPatch, TrustVerdict } from '@parley/protocol'
import type { Unsent } from './ui-state.ts'

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
