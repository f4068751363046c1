import type { ConversationState } from '@parley/protocol'
import type { UiAction } from '../ui/state/actions.ts'
import type { UiState } from '../ui/state/ui-state.ts'
import type { Overlay } from './overlay.ts'

export interface ConversationScreen {
  readonly ui: UiState
  dispatch(...actions: readonly UiAction[]): void
  /** Shows another conversation; returns the number of its items that are left out. */
  open(state: ConversationState, options: { readonly isOnScreen: boolean }): number
  /** Shows the same conversation from another server. */
  reopen(state: ConversationState): void
  follow(state: ConversationState): void
  locate(branch: string | null): void
  /** Shows a view in front of the screen, until it is uncovered. */
  cover(overlay: Overlay): void
  uncover(): void
  /** Keeps the keys for a view that is being loaded, until it covers the screen or the result is disposed. */
  holdKeys(): Disposable
  repaint(): void
  suspend(): void
}
