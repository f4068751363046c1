import type { MemoryPlace, ShownMemory } from '@parley/presentation/commands/memory-words'
import type { ReviewedChanges } from '@parley/presentation/commands/review-words'
import type { ThemeName } from '@parley/presentation/commands/setting-choices'
import type { ShareRequest } from '@parley/presentation/commands/share-words'
import type { Notice } from '@parley/presentation/notices/notice'
import type { Painted } from '@parley/presentation/question/answers'
import type { MessagePlace } from '@parley/presentation/rewind/point-before'
import type { Line } from '@parley/presentation/text/span'
import type {
  Answers,
  ApprovalDecision,
  ApprovalId,
  ClientId,
  ConversationId,
  ConversationState,
  EventOf,
  FoundPart,
  ItemId,
  ListedConversation,
  MessageId,
  SettingsPatch,
  TrustVerdict,
  TurnId,
} from '@parley/protocol'
import type { FileList } from '@parley/text'
import type { KeyEvent } from '../keys/key-event.ts'
import type { LossReason, OpenedWindow, SoughtServer } from '../link/link.ts'
import type { MenuKind, MenuRow } from '../menu/menu.ts'
import type { FoundConversation, ListedChange } from '../menu/picker.ts'
import type { ShownProcess } from '../processes/process-view.ts'
import type { Look, LostLog, RewindPoint, SentMessage, ShownRewind, UiState, Unsent } from './ui-state.ts'

/** Parts of a conversation that `/copy` names. */
export const copiedParts = ['answer', 'code', 'command', 'all'] as const

export type CopiedPart = (typeof copiedParts)[number]

/** Event that changes the screen's own state. */
export type UiAction =
  | { readonly kind: 'key'; readonly event: KeyEvent }
  /** A line that was typed as a whole, in a session without a screen; several lines if they came at once. */
  | { readonly kind: 'line'; readonly text: string }
  /** SIGINT from outside, treated as Ctrl+C. */
  | { readonly kind: 'signal' }
  /** No key arrived for a while; all earlier keys have been handled. */
  | { readonly kind: 'quiet' }
  /** A key was pressed in a view in front of the screen. */
  | { readonly kind: 'pressedElsewhere' }
  /** A frame was painted. */
  | ({ readonly kind: 'painted' } & Painted)
  | { readonly kind: 'linked'; readonly clientId: ClientId; readonly serverPid: number | null }
  /**
   * The connection is lost. `sought`: the window connects again by itself, to one of several servers. `reason`: why it
   * does not.
   */
  | { readonly kind: 'lost'; readonly sought?: SoughtServer; readonly reason?: LossReason }
  /** The server has not answered for some time, or answers again. */
  | { readonly kind: 'hangs'; readonly hangs: boolean }
  /** `storage`: errno of what keeps it from being saved, where something does. */
  | { readonly kind: 'opened'; readonly opened: OpenedWindow; readonly storage?: string }
  /** Prompts sent in this folder before, oldest first. */
  | { readonly kind: 'recalled'; readonly prompts: readonly string[] }
  /** Prompts sent in any folder before, oldest first. */
  | { readonly kind: 'recalledAll'; readonly prompts: readonly string[] }
  /** Pasted text names these images, by absolute paths. */
  | { readonly kind: 'imagesFound'; readonly pasted: string; readonly paths: readonly string[] }
  /** The user's editor has ended with this text. */
  | { readonly kind: 'edited'; readonly text: string }
  /** Message to send as soon as a conversation is open. */
  | { readonly kind: 'hold'; readonly message: Unsent }
  | { readonly kind: 'acknowledged'; readonly messageId: MessageId }
  /** The server rejected the message; its text returns to the composer. */
  | { readonly kind: 'notTaken'; readonly message: Unsent }
  | { readonly kind: 'tookBack'; readonly text: string }
  /** The answer did not count. */
  | { readonly kind: 'answerRejected'; readonly approvalId: ApprovalId }
  /** The tool server rejected a field of the form, for the reason in `problem`. */
  | {
      readonly kind: 'formRejected'
      readonly approvalId: ApprovalId
      readonly answers: Answers
      readonly field: string
      readonly problem: string
    }
  /** Any client answered an approval. */
  | { readonly kind: 'answered'; readonly event: EventOf<'approval.decided'> }
  /** Any client changed settings. */
  | { readonly kind: 'configured'; readonly event: EventOf<'conversation.configured'> }
  | { readonly kind: 'notice'; readonly notice: Notice }
  /** A login to a provider was kept. */
  | { readonly kind: 'loggedIn'; readonly provider: string }
  /** Errno of a disk that takes nothing of the conversation and is tried again; null once it takes it. */
  | { readonly kind: 'storage'; readonly errno: string | null }
  /** Another program changed the log. `isAnswer`: a request failed because of it. */
  | { readonly kind: 'logLost'; readonly log: LostLog; readonly isAnswer: boolean }
  /** The whole configuration of a project was shown; null for a project without one. */
  | { readonly kind: 'trustShown'; readonly hash: string | null }
  /** Opens the list of conversations; `folder`: the one that they can be limited to. */
  | { readonly kind: 'pick'; readonly liveOnly: boolean; readonly folder: string | null }
  | { readonly kind: 'listed'; readonly conversations: readonly ListedConversation[]; readonly archived: boolean }
  /** Conversations with the searched words in their texts. */
  | { readonly kind: 'textsFound'; readonly query: string; readonly found: readonly FoundConversation[] }
  /** Rows for a loading menu, or the reason for an empty one. */
  | {
      readonly kind: 'menuFilled'
      readonly menu: MenuKind
      readonly rows: readonly MenuRow[]
      readonly problem: string | null
    }
  /** Newest lines of a listed conversation. */
  | { readonly kind: 'previewed'; readonly conversationId: ConversationId; readonly lines: readonly string[] }
  /** Older messages of the user were read, oldest first. */
  | { readonly kind: 'olderRead'; readonly messages: readonly SentMessage[] }
  /** A plan to take files back is shown. */
  | { readonly kind: 'rewindPlanned'; readonly rewind: ShownRewind }
  /** A line to remember is shown as it would be written. */
  | { readonly kind: 'rememberPlanned'; readonly memory: ShownMemory }
  /** Files were taken back to before this message, and the talk is to follow. */
  | { readonly kind: 'filesTakenBack'; readonly itemId: ItemId; readonly summary?: true }
  /** The terminal told its background, or the user's configuration says how to draw. */
  | { readonly kind: 'looked'; readonly look: Partial<Look> }
  /** Files were listed, all or the first ones. */
  | { readonly kind: 'filesListed'; readonly files: FileList }
  | { readonly kind: 'partsListed'; readonly parts: readonly FoundPart[] }
  /** Line of the user's program for the status line; null for the usual one. */
  | { readonly kind: 'statusTold'; readonly line: Line | null }
  /** Clients connected to the conversation, this one included. */
  | { readonly kind: 'counted'; readonly clients: number }
  /** The conversation is not there any more for the user of the window. */
  | { readonly kind: 'takenAway' }

export interface UiContext {
  readonly state: ConversationState | null
  readonly nowMs: number
  readonly columns: number
  /** Id for the message that this action may send. */
  readonly freshId: string
}

export interface UiStep {
  readonly ui: UiState
  readonly intents: readonly Intent[]
}

export function stepTo(ui: UiState, ...intents: readonly Intent[]): UiStep {
  return { ui, intents }
}

/** Ways to log in: with a key that is typed unseen, or in a browser. */
export const loginWays = ['key', 'browser'] as const

type LoginWay = (typeof loginWays)[number]

/** Request of the user that only the server or the process can carry out. */
export type Intent =
  | { readonly kind: 'send'; readonly message: Unsent }
  | { readonly kind: 'editQueued'; readonly messageId: MessageId; readonly text: string }
  | { readonly kind: 'removeQueued'; readonly messageId: MessageId }
  /** Removes a message from the inbox and returns its text to the composer. */
  | { readonly kind: 'takeBack'; readonly messageId: MessageId; readonly text: string }
  | { readonly kind: 'interrupt'; readonly turnId: TurnId }
  /** Stops commands beside the turn: the named ones, else all that the user runs with `!`. */
  | { readonly kind: 'stopShell'; readonly itemIds?: readonly ItemId[] }
  /** Lets the command of a call run on in the background. */
  | { readonly kind: 'background'; readonly itemId: ItemId }
  /** Types a line into a command that runs in the background. */
  | { readonly kind: 'typeInProcess'; readonly itemId: ItemId; readonly text: string }
  /** Lets programs of this machine reach a port of the sandboxed commands. */
  | { readonly kind: 'forward'; readonly port: number }
  | { readonly kind: 'stopForward'; readonly port: number }
  | { readonly kind: 'continue' }
  /** Ends the wait before a retry. */
  | { readonly kind: 'retryNow' }
  | {
      readonly kind: 'decide'
      readonly approvalId: ApprovalId
      readonly decision: ApprovalDecision
      readonly scope?: 'any'
      readonly note?: string
      /** Answers of a filled-in form. */
      readonly answers?: Answers
    }
  | { readonly kind: 'shell'; readonly command: string }
  /** Changes settings. `isShown`: the screen shows the change by itself, so it needs no notice. */
  | { readonly kind: 'configure'; readonly settings: SettingsPatch; readonly isShown?: true }
  | { readonly kind: 'rename'; readonly name: string }
  /** Gives or takes access to the conversation. */
  | { readonly kind: 'share'; readonly asked: ShareRequest }
  /** `before`: message of the user that the copy leaves out, with all that came after; `summary`: but for a summary. */
  | {
      readonly kind: 'fork'
      readonly conversationId: ConversationId
      readonly before?: MessagePlace
      readonly summary?: true
    }
  | { readonly kind: 'open'; readonly conversationId: ConversationId }
  | { readonly kind: 'new' }
  /** Moves the shown rows of the window into the scrollback. */
  | { readonly kind: 'clear' }
  | { readonly kind: 'list'; readonly archived: boolean }
  /** Finds conversations by their texts. */
  | { readonly kind: 'searchTexts'; readonly query: string; readonly archived: boolean }
  /** Changes a conversation of the list; `archived`: the list shows archived ones. */
  | {
      readonly kind: 'changeListed'
      readonly conversationId: ConversationId
      readonly change: ListedChange
      readonly archived: boolean
    }
  /** Reads the user's messages that were completed before a seq. */
  | { readonly kind: 'olderMessages'; readonly before: number }
  | { readonly kind: 'models' }
  /** Keeps the colours for windows to come. */
  | { readonly kind: 'keepTheme'; readonly theme: ThemeName }
  /** Lists the providers that can be logged in to, or the logins that are kept. */
  | { readonly kind: 'logins'; readonly menu: 'login' | 'logout' }
  /** Forgets the login to a provider. */
  | { readonly kind: 'logOut'; readonly provider: string }
  /** Asks for a key, or sends the user to a browser, outside of the window. */
  | { readonly kind: 'logIn'; readonly provider: string; readonly way: LoginWay }
  /** Gives a conversation without a model the one that a new conversation would have, after a login. */
  | { readonly kind: 'adoptModel'; readonly provider: string }
  /** Reads the newest lines of a listed conversation. */
  | { readonly kind: 'preview'; readonly conversationId: ConversationId }
  /** Explains the decision on the named call, or on the last one. */
  | { readonly kind: 'why'; readonly item?: string }
  /** Compacts the model's view; `what` names important points in the user's words, and is empty without any. */
  | { readonly kind: 'compact'; readonly what: string }
  | { readonly kind: 'undoCompaction' }
  /** Leaves out the part that the provider refused, and goes on; `half` where it named no part. */
  | { readonly kind: 'leaveOut'; readonly half?: true }
  /** Plans to take files back: to before a message, or to an event. `itemId`: the message, before which talk can go on. */
  | {
      readonly kind: 'planRewind'
      readonly at: RewindPoint
      readonly itemId: ItemId | null
      readonly overwrite: boolean
    }
  /** Takes files back as they were shown; then talk too, in a copy. */
  | {
      readonly kind: 'rewind'
      readonly rewind: ShownRewind
      readonly withTalk: boolean
      /** Has the left-out part summarised. */
      readonly summary?: true
    }
  /** Plans to add a line to an instruction file. */
  | { readonly kind: 'planRemember'; readonly text: string; readonly where: MemoryPlace }
  /** Adds the line as it was shown. */
  | { readonly kind: 'remember'; readonly memory: ShownMemory }
  /** Shows the uncommitted changes of the conversation's folder. */
  | { readonly kind: 'diff' }
  /** Has changes reviewed; `focus`: what matters, in the user's words. */
  | { readonly kind: 'review'; readonly span: ReviewedChanges; readonly focus: string }
  | { readonly kind: 'status' }
  /** Shows what fills the context window. */
  | { readonly kind: 'context' }
  /** Lists the hooks of the conversation's folder. */
  | { readonly kind: 'hooks' }
  | { readonly kind: 'mcp' }
  | { readonly kind: 'restartMcp'; readonly name: string }
  | { readonly kind: 'readTrust' }
  /** Decides on the configuration that this window showed under this hash. */
  | { readonly kind: 'decideTrust'; readonly hash: string; readonly verdict: TrustVerdict }
  /** Shows the whole conversation in a view of its own, at its end or with the last folded item opened. */
  | { readonly kind: 'showTranscript'; readonly at: 'end' | 'lastFold' }
  /** Shows the output of a command that runs, live, in a view of its own. */
  | { readonly kind: 'showProcess'; readonly process: ShownProcess }
  /** Copies the last answer, a block of code of it by its number, the last command, or everything as Markdown. */
  | { readonly kind: 'copy'; readonly what: CopiedPart; readonly number: number | null }
  | { readonly kind: 'restart' }
  /** Suspends the program, as Ctrl+Z does in a shell. */
  | { readonly kind: 'suspend' }
  /** Opens the text in the user's editor. */
  | { readonly kind: 'editText'; readonly text: string }
  /** Runs a command of the user's that needs the terminal, outside the server. */
  | { readonly kind: 'runInTerminal'; readonly command: string; readonly folder: string }
  | { readonly kind: 'recallAll' }
  /** Finds the images that pasted text names, by the first reading with existing paths only. */
  | { readonly kind: 'findImages'; readonly pasted: string; readonly readings: readonly (readonly string[])[] }
  /** Lists the files of a folder of this machine, for completing paths. */
  | { readonly kind: 'listFiles'; readonly folder: string }
  /** Lists the skills and commands that a folder has. */
  | { readonly kind: 'listParts'; readonly folder: string }
  /** Leaves; a running turn continues. */
  | { readonly kind: 'detach' }
  | { readonly kind: 'leave' }

/** Intent that reads the conversation back: to look at it or to copy from it. */
export type ReadingIntent = Extract<Intent, { kind: 'showTranscript' | 'showProcess' | 'copy' }>

/** Intent that gives the terminal to something else for a while. */
export type LendingIntent = Extract<Intent, { kind: 'suspend' | 'editText' | 'runInTerminal' | 'logIn' }>
