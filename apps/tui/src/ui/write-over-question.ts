import { clear, expanded, putBack } from '@parley/presentation/composer/composer'
import type { ConversationState } from '@parley/protocol'
import { applyCommand, chord, commandForKey } from './composer/command.ts'
import type { KeyEvent } from './keys/key-event.ts'
import { onlyReads } from './people/held-role.ts'
import { stepTo, type UiContext, type UiStep } from './state/actions.ts'
import type { Composing } from './state/composing.ts'
import { changePart, type UiState, waitingApprovals } from './state/ui-state.ts'

/**
 * Returns true if text is written while the approval waits: the user opened the composer, or had begun to write before
 * the approval came and has not closed it.
 */
export function isWritingOver({ writing, composer }: Composing): boolean {
  return writing ?? composer.text !== ''
}

/** Returns true while an approval has the place of the composer and the composer keeps its text. */
export function isComposerHidden(ui: UiState, state: ConversationState | null): boolean {
  return isApprovalInPlace(ui, state) && !isWritingOver(ui.composing)
}

/** Returns true if Escape goes from the text back to the approval. */
export function isComposerOverApproval(ui: UiState, state: ConversationState | null): boolean {
  return isApprovalInPlace(ui, state) && isWritingOver(ui.composing)
}

/** Returns true if an approval waits that this client can answer instead of writing. */
function isApprovalInPlace(ui: UiState, state: ConversationState | null): boolean {
  const isText = ui.composing.purpose.kind === 'message' && ui.menu === null && ui.history.search === null
  const isUp = ui.connection.link.kind === 'up'
  return isText && isUp && ui.opened !== null && !onlyReads(ui.opened) && waitingApprovals(state, ui).length > 0
}

/** Opens or closes the composer over the waiting approval; does nothing without one. */
export function setWriting(ui: UiState, state: ConversationState | null, isOpen: boolean): UiState {
  if (waitingApprovals(state, ui).length === 0) return ui
  return {
    ...ui,
    composing: { ...ui.composing, writing: isOpen },
    answering: { ...ui.answering, reached: null, remembering: null },
  }
}

/** Handles a key that is no answer while the composer is hidden: Tab, text and pastes open it. Null if it is shown. */
export function openByKey(ui: UiState, event: KeyEvent, { state, columns }: UiContext): UiStep | null {
  if (!isComposerHidden(ui, state)) return null
  const opened = setWriting(ui, state, true)
  if (event.kind === 'key' && chord(event) === 'tab') return stepTo(opened)
  const command = commandForKey(event)
  if (command?.kind !== 'insert' && command?.kind !== 'paste') return stepTo(ui)
  const composer = applyCommand(ui.composing.composer, command, { columns, history: [] })
  return stepTo(changePart(opened, 'composing', { composer, choice: 0 }))
}

/** Empties the composer for a note or a form and keeps its text until that is done. */
export function setMessageAside(composing: Composing): Composing {
  const { composer } = composing
  return composer.text === '' ? composing : { ...composing, setAside: composer, composer: clear(composer) }
}

/** Drops the choice to write once nothing waits, and returns the text set aside once its place is free. */
export function followWriting(ui: UiState, state: ConversationState | null): UiState {
  const { setAside, composer, purpose } = ui.composing
  const writing = waitingApprovals(state, ui).length === 0 ? null : ui.composing.writing
  if (setAside === null || purpose.kind !== 'message') return changePart(ui, 'composing', { writing })
  const restored = composer.text === '' ? setAside : putBack(composer, expanded(setAside))
  return changePart(ui, 'composing', { writing, setAside: null, composer: restored })
}
