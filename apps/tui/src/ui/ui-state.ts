import type { ListedConversation } from '@parley/protocol'
import type { Said } from '../view/said.ts'
import { type AnswerGuard, unguarded } from './answer-guard.ts'
import { type Composer, emptyComposer } from './composer/composer.ts'
import { calm, type Interrupts } from './interrupts.ts'

/** Everything of the screen that is not the conversation. A value; `updateUi` makes the next one. */
export interface UiState {
  readonly composer: Composer
  readonly purpose: Purpose
  readonly interrupts: Interrupts
  readonly overlay: Overlay | null
  readonly link: Link
  readonly guard: AnswerGuard
  /** An answer that came before it could count: dropped, unless it turns out to be the first letter of a word. */
  readonly early: EarlyKey | null
  /** Messages that the server has not acknowledged. */
  readonly unsent: readonly Unsent[]
  readonly said: readonly Said[]
  /** The turn that was told to stop. */
  readonly stoppingTurn: string | null
  /** The approval that this window has just answered. */
  readonly answeredApproval: string | null
  /** Place in the completion list. */
  readonly choice: number
  /** The completion list was closed for this text. */
  readonly dismissed: string | null
  readonly opened: Opened | null
}

/** What Enter does with the text. */
export type Purpose =
  | { readonly kind: 'message' }
  /** What to do instead of the call that is refused. */
  | { readonly kind: 'note'; readonly approvalId: string }
  | { readonly kind: 'edit'; readonly messageId: string }

export type Overlay = Picker | Elsewhere

export interface Picker {
  readonly kind: 'picker'
  /** Null while the list is on its way. */
  readonly conversations: readonly ListedConversation[] | null
  readonly filter: Composer
  readonly choice: number
}

/** The conversation is open in another process. */
export interface Elsewhere {
  readonly kind: 'elsewhere'
  readonly conversationId: string
  readonly pid: number | null
}

export type Link =
  | { readonly kind: 'starting' }
  | { readonly kind: 'up'; readonly clientId: string; readonly serverPid: number | null }
  | { readonly kind: 'lost' }

export interface EarlyKey {
  readonly text: string
  readonly atMs: number
}

export interface Unsent {
  readonly messageId: string
  readonly text: string
  readonly when: 'steer' | 'queue'
}

/** The conversation on the screen, as far as it is not in its state. */
export interface Opened {
  readonly conversationId: string
  readonly shortId: string
  readonly readOnly: boolean
  /** Nothing of it outlives the server. */
  readonly ephemeral: boolean
}

export const message: Purpose = { kind: 'message' }

export const initialUi: UiState = {
  composer: emptyComposer,
  purpose: message,
  interrupts: calm,
  overlay: null,
  link: { kind: 'starting' },
  guard: unguarded,
  early: null,
  unsent: [],
  said: [],
  stoppingTurn: null,
  answeredApproval: null,
  choice: 0,
  dismissed: null,
  opened: null,
}

export function say(ui: UiState, said: Said): UiState {
  return { ...ui, said: [...ui.said, said] }
}

export function sayNote(ui: UiState, level: 'info' | 'warning' | 'error', text: string): UiState {
  return say(ui, { kind: 'note', level, text })
}

export function openPicker(ui: UiState): UiState {
  return { ...ui, overlay: { kind: 'picker', conversations: null, filter: emptyComposer, choice: 0 } }
}
