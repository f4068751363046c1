import type { ListedConversation } from '@parley/protocol'
import type { Said } from '../view/said.ts'
import { type AnswerGuard, unguarded } from './answer-guard.ts'
import type { Choice } from './approvals.ts'
import { type Composer, emptyComposer } from './composer/composer.ts'
import type { FilledForm } from './form.ts'
import type { HeldKey } from './held-key.ts'
import { calm, type Interrupts } from './interrupts.ts'
import type { LostLog } from './storage-trouble.ts'

/** Everything of the screen that is not the conversation. A value; `updateUi` makes the next one. */
export interface UiState {
  readonly composer: Composer
  readonly purpose: Purpose
  readonly interrupts: Interrupts
  readonly picker: Picker | null
  readonly link: Link
  /** Every connection that this window has had, as messages and answers name them. */
  readonly ownClients: readonly string[]
  /** Connections to the conversation, this one included. */
  readonly clientCount: number
  readonly guard: AnswerGuard
  /** The last key, while it is not decided whether it answers the question or begins a message, or is said to be neither. */
  readonly heldKey: HeldKey | null
  /** The answer that an arrow has reached. */
  readonly reached: Reached | null
  /** What was sent in this folder before this conversation was opened, oldest first. */
  readonly earlierPrompts: readonly string[]
  /** What Enter could not send or run, until something else is entered: the newest that the arrow keys bring back. */
  readonly refusedText: string | null
  /** Messages that the server has not acknowledged. */
  readonly unsent: readonly Unsent[]
  readonly said: readonly Said[]
  /** Why the conversation on the screen has stopped, once that was said. */
  readonly lostLog: LostLog | null
  /** The turn that was told to stop. */
  readonly stoppingTurn: string | null
  /** The approval that this window has just answered. */
  readonly answeredApproval: string | null
  /** When that was. */
  readonly answeredAtMs: number
  /** Place in the completion list. */
  readonly choice: number
  /** The completion list was closed for this text. */
  readonly dismissed: string | null
  readonly opened: Opened | null
  /** Hash of the project's configuration that was shown last: a yes is to that. */
  readonly shownTrust: string | null
}

/** What Enter does with the text. */
export type Purpose =
  | { readonly kind: 'message' }
  /** What to do instead of the call that is refused. */
  | { readonly kind: 'note'; readonly approvalId: string }
  | { readonly kind: 'edit'; readonly messageId: string }
  /** A field of a form. */
  | { readonly kind: 'form'; readonly form: FilledForm }

/** The list of conversations to choose from. */
export interface Picker {
  /** Only those that are open in some process: the choice is attached to. */
  readonly liveOnly: boolean
  /** Null while the list is on its way. */
  readonly conversations: readonly ListedConversation[] | null
  readonly filter: Composer
  readonly choice: number
}

export type Link =
  | { readonly kind: 'starting' }
  | { readonly kind: 'up'; readonly clientId: string; readonly serverPid: number | null }
  | { readonly kind: 'lost' }

/** One of the answers to a question, which Enter gives. */
export interface Reached {
  readonly approvalId: string
  readonly answer: Choice['answer']
}

export interface Unsent {
  readonly messageId: string
  readonly text: string
  readonly when: 'steer' | 'queue'
  /** Absolute paths. */
  readonly images?: readonly string[]
}

/** The conversation on the screen, as far as it is not in its state. */
export interface Opened {
  readonly conversationId: string
  readonly shortId: string
  readonly readOnly: boolean
  /** The window was opened with --read-only, and takes part in nothing. */
  readonly onlyWatches: boolean
  /** It is open in a server that another process has started. */
  readonly attached: boolean
  /** Nothing of it outlives the server. */
  readonly ephemeral: boolean
}

export const message: Purpose = { kind: 'message' }

export const initialUi: UiState = {
  composer: emptyComposer,
  purpose: message,
  interrupts: calm,
  picker: null,
  link: { kind: 'starting' },
  ownClients: [],
  clientCount: 1,
  guard: unguarded,
  heldKey: null,
  reached: null,
  earlierPrompts: [],
  refusedText: null,
  unsent: [],
  said: [],
  lostLog: null,
  stoppingTurn: null,
  answeredApproval: null,
  answeredAtMs: 0,
  choice: 0,
  dismissed: null,
  opened: null,
  shownTrust: null,
}

export function say(ui: UiState, said: Said): UiState {
  return { ...ui, said: [...ui.said, said] }
}

export function sayNote(ui: UiState, level: 'info' | 'warning' | 'error', text: string): UiState {
  return say(ui, { kind: 'note', level, text })
}

export function openPicker(ui: UiState, { liveOnly }: Pick<Picker, 'liveOnly'>): UiState {
  return { ...ui, picker: { liveOnly, conversations: null, filter: emptyComposer, choice: 0 } }
}
