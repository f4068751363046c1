import type { ThemeName } from '@parley/presentation/commands/setting-choices'
import type { Composer, WithPastes } from '@parley/presentation/composer/composer'
import type { Notice } from '@parley/presentation/notices/notice'
import {
  type AnswerChoice,
  type AnswerGuard,
  type HeldKey,
  pendingApprovals,
  unguarded,
} from '@parley/presentation/question/answers'
import type { MessagePlace } from '@parley/presentation/rewind/point-before'
import type { Line } from '@parley/presentation/text/span'
import type { AmbiguousWidth } from '@parley/presentation/text/width'
import type {
  Approval,
  ApprovalId,
  ClientId,
  ConversationState,
  FoundPart,
  ItemId,
  ItemOf,
  MessageId,
  TurnId,
} from '@parley/protocol'
import type { FileList } from '@parley/text'
import type { Rgb } from '../../view/text/theme.ts'
import { noPlaces, type ShownPlaces } from '../keys/key-meaning.ts'
import type { OpenedWindow, WindowLink } from '../link/link.ts'
import type { Menu } from '../menu/menu.ts'
import { type Composing, emptyComposing } from './composing.ts'

/** Settings of how the screen is drawn. */
export interface Look {
  readonly theme: ThemeName
  /** Background of the terminal; null until it has told it. */
  readonly background: Rgb | null
  /** True for a screen on which nothing moves by itself but the seconds. */
  readonly isStill: boolean
  /** Cells that the terminal gives to characters of ambiguous East Asian width. */
  readonly ambiguousWidth: AmbiguousWidth
}

/** State of the screen besides the conversation. Immutable; `updateUi` returns the next one. */
export interface UiState {
  readonly look: Look
  readonly connection: WindowConnection
  readonly opened: OpenedWindow | null
  readonly composing: Composing
  readonly history: InputHistory
  readonly lists: CompletionLists
  readonly outbox: Outbox
  readonly answering: Answering
  readonly work: WorkControl
  readonly storage: LogTrouble
  readonly keys: KeyMemory
  /** List to choose from, in place of the composer; null while no list is open. */
  readonly menu: Menu | null
  readonly notices: readonly Notice[]
  /** Line of the user's program for the status line; null for the usual one. */
  readonly statusText: Line | null
  /** Hash of the project configuration shown last, which a yes refers to. */
  readonly shownTrust: string | null
  /** Plan to take files back that is shown, while it is asked what goes back. */
  readonly rewind: ShownRewind | null
}

/** Connection of this window to the server. */
export interface WindowConnection {
  readonly link: WindowLink
  /** Client ids of all connections this window has had. */
  readonly ownClients: readonly ClientId[]
  /** True while the server does not answer, unless the user waits for it. */
  readonly hangs: boolean
  /** Time of the last loss of the server, in ms since the epoch; null before. */
  readonly lostAtMs: number | null
  /** Clients connected to the conversation, this one included. */
  readonly clientCount: number
}

/** Earlier texts, to be recalled in the composer. */
export interface InputHistory {
  /** Search of earlier prompts, in place of the text; null while closed. */
  readonly search: HistorySearch | null
  /** Prompts of all folders while they are searched, oldest first. */
  readonly allPrompts: readonly string[]
  /** Prompts sent in this folder before this conversation was opened, oldest first. */
  readonly earlierPrompts: readonly string[]
  /** Text that Enter could not send or run: the newest history entry until other text is entered. */
  readonly refusedText: string | null
  /** Texts that were sent from here with folded pastes, the newest last: recalled, they are folded again. */
  readonly sentPastes: readonly SentText[]
  /** Messages of the user that are no longer in the conversation's state, as far as read; oldest first. */
  readonly olderMessages: readonly SentMessage[]
}

/** Lists that complete words in the composer. */
interface CompletionLists {
  /** Files that `@` completes, of the conversation's folder; null before they are needed. */
  readonly files: FileList | null
  readonly filesAsked: FolderRequest | null
  /** Skills and commands of the conversation's folder; null before they have come. */
  readonly parts: readonly FoundPart[] | null
  readonly partsAsked: FolderRequest | null
}

/** Last request for a list: its folder, and its time in ms since the epoch. */
interface FolderRequest {
  readonly folder: string
  readonly atMs: number
}

/** Texts that have been entered and have not had their effect. */
export interface Outbox {
  /** Messages the server has not acknowledged. */
  readonly unsent: readonly Unsent[]
  /** Message sent last from here, where it begins a turn, until something of its answer comes. */
  readonly lastSent: { readonly messageId: MessageId; readonly composer: Composer } | null
  /** Commands entered before a conversation was open, which run in their order once one is. */
  readonly earlyCommands: readonly string[]
}

/** Answer to the approval on the screen. */
export interface Answering {
  readonly guard: AnswerGuard
  /** Last key, while it is undecided whether it answers an approval or begins a message, or shown as rejected. */
  readonly heldKey: HeldKey | null
  /** Answer highlighted by the arrow keys. */
  readonly reached: Reached | null
  /** Approval with a visible rule, which `r` or Enter adds. */
  readonly remembering: ApprovalId | null
  /** Approval this window has just answered. */
  readonly answeredApproval: ApprovalId | null
  /** Time of that answer, in ms since the epoch. */
  readonly answeredAtMs: number
}

/** Running work that the user stops or hides. */
export interface WorkControl {
  /** Turn with an interrupt in progress. */
  readonly stoppingTurn: TurnId | null
  /** Newest command of the user that is being stopped, and with it all earlier ones. */
  readonly stoppingCommand: ItemId | null
  /** Running commands of the user that were sent to the background: hidden until they end. */
  readonly inBackground: readonly ItemId[]
}

/** Trouble with the log of the conversation. */
interface LogTrouble {
  /** Errno of a disk that takes nothing of the conversation at present; null while it is saved. */
  readonly errno: string | null
  /** Reason why the conversation has stopped, once shown. */
  readonly lostLog: LostLog | null
}

/** Earlier keys and frames that decide the meaning of the next key. */
export interface KeyMemory {
  /** Act of the same key when it is pressed again in time; null without an offer. */
  readonly offer: Offer | null
  /** Places on the screen that decide what keys mean. */
  readonly shownPlaces: ShownPlaces
  /** Time at which another client changed the limits, in ms since the epoch. */
  readonly limitsChangedAtMs: number
}

/** Text of a message as it was written, with its pastes. */
interface SentText extends WithPastes {
  readonly messageId: MessageId
}

/** Point to go back to: before a message, or an event. */
export type RewindPoint = MessagePlace | { readonly to: number }

/** Plan to take files back as it is shown; a yes refers to `hash`. */
export interface ShownRewind {
  readonly at: RewindPoint
  /** Message before which talk can go on in a copy; null for files alone. */
  readonly itemId: ItemId | null
  readonly overwrite: boolean
  readonly to: number
  readonly hash: string
  /** Number of files that would change. */
  readonly files: number
  /** Number of files that stay because somebody else changed them. */
  readonly changedSince: number
}

/** Search for a prompt: the text it must have, and the number of newer matches passed over. */
export interface HistorySearch {
  readonly query: string
  readonly skipped: number
}

/** Offer of a key: a second Ctrl+C leaves, a second Escape lists own messages. */
export interface Offer {
  readonly act: 'offerToLeave' | 'offerEarlier'
  /** End of the time for the second key, in ms since the epoch. */
  readonly untilMs: number
}

/** Conversation stopped because its log was changed by another program. */
export interface LostLog {
  readonly errno: string
  /** Message of the server: the event, its meaning, and the next step. */
  readonly text: string
}

/** Highlighted answer to an approval, which Enter gives. */
interface Reached {
  readonly approvalId: ApprovalId
  readonly answer: AnswerChoice['answer']
}

export interface SentMessage extends MessagePlace {
  readonly item: ItemOf<'userMessage'>
}

export interface Unsent {
  readonly messageId: MessageId
  readonly text: string
  readonly when: 'steer' | 'queue'
  /** Absolute paths. */
  readonly images?: readonly string[]
}

/** Returns true while pressing the key again does the act. */
export function isOffered({ offer }: KeyMemory, act: Offer['act'], nowMs: number): boolean {
  return offer?.act === act && nowMs <= offer.untilMs
}

export const initialUi: UiState = {
  look: { theme: 'auto', background: null, isStill: false, ambiguousWidth: 1 },
  connection: { link: { kind: 'starting' }, ownClients: [], hangs: false, lostAtMs: null, clientCount: 1 },
  opened: null,
  composing: emptyComposing,
  history: {
    search: null,
    allPrompts: [],
    earlierPrompts: [],
    refusedText: null,
    sentPastes: [],
    olderMessages: [],
  },
  lists: { files: null, filesAsked: null, parts: null, partsAsked: null },
  outbox: { unsent: [], lastSent: null, earlyCommands: [] },
  answering: {
    guard: unguarded,
    heldKey: null,
    reached: null,
    remembering: null,
    answeredApproval: null,
    answeredAtMs: 0,
  },
  work: { stoppingTurn: null, stoppingCommand: null, inBackground: [] },
  storage: { errno: null, lostLog: null },
  keys: { offer: null, shownPlaces: noPlaces, limitsChangedAtMs: Number.NEGATIVE_INFINITY },
  menu: null,
  notices: [],
  statusText: null,
  shownTrust: null,
  rewind: null,
}

export type UiPart =
  | 'look'
  | 'connection'
  | 'composing'
  | 'history'
  | 'lists'
  | 'outbox'
  | 'answering'
  | 'work'
  | 'storage'
  | 'keys'

/** Returns the state with changes in one of its parts. */
export function changePart<Part extends UiPart>(ui: UiState, part: Part, changes: Partial<UiState[Part]>): UiState {
  return { ...ui, [part]: { ...ui[part], ...changes } }
}

/** Returns the approvals that wait for this window, the oldest first. */
export function waitingApprovals(
  state: ConversationState | null,
  { answering, opened }: Pick<UiState, 'answering' | 'opened'>,
): readonly Approval[] {
  return pendingApprovals(state, opened?.person, answering.answeredApproval)
}

/** Keeps a message until the server acknowledges it. */
export function hold(ui: UiState, unsent: Unsent): UiState {
  return changePart(ui, 'outbox', { unsent: [...ui.outbox.unsent, unsent] })
}

export function addNotice(ui: UiState, notice: Notice): UiState {
  return { ...ui, notices: [...ui.notices, notice] }
}

export function addNote(ui: UiState, level: 'info' | 'warning' | 'error', text: string): UiState {
  return addNotice(ui, { kind: 'note', level, text })
}
