import { type Opened, sayNote, type UiState } from './ui-state.ts'

/** Why nothing can be sent from here, and what to do instead. */
export function sayReadOnly(ui: UiState): UiState {
  return sayNote(ui, 'warning', `${readOnlyWords(ui.opened)}.`)
}

export function readOnlyWords(opened: Opened | null): string {
  return opened?.onlyWatches === true
    ? 'This window only watches (--read-only): `parley attach` without it takes part'
    : 'This is a read-only view: /fork goes on from here in a copy'
}
