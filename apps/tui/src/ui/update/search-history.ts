import { type Composer, foldedAgain, replace, type WithPastes } from '@parley/presentation/composer/composer'
import type { ConversationState } from '@parley/protocol'
import { commandForKey } from '../composer/command.ts'
import { inputHistory } from '../inbox.ts'
import type { KeyEvent } from '../keys/key-event.ts'
import { stepTo, type UiContext, type UiStep } from '../state/actions.ts'
import { changePart, type HistorySearch, type UiState } from '../state/ui-state.ts'

/** Opens the search, for which the prompts of all folders are read. */
export function openSearch(ui: UiState): UiStep {
  return stepTo(
    { ...ui, history: { ...ui.history, search: { query: '', skipped: 0 } }, composing: { ...ui.composing, choice: 0 } },
    { kind: 'recallAll' },
  )
}

/** Returns the newest prompt with the query, after the skipped ones; null without a match. */
export function foundPrompt(ui: UiState, search: HistorySearch, state: ConversationState | null): string | null {
  return matchesOf(ui, search, state)[search.skipped] ?? null
}

/** Moves to an older match, or a newer one; stays at the last. */
export function moveSearch(ui: UiState, step: 1 | -1, state: ConversationState | null): UiState {
  const { search } = ui.history
  if (search === null) return ui
  const skipped = search.skipped + step
  return matchesOf(ui, search, state)[skipped] === undefined
    ? ui
    : changePart(ui, 'history', { search: { ...search, skipped } })
}

/** Puts the match in the composer, where undo brings the draft back; without a match the draft stays. */
export function takeFound(ui: UiState, state: ConversationState | null): UiState {
  const found = ui.history.search === null ? null : foundPrompt(ui, ui.history.search, state)
  const { composer } = ui.composing
  const taken = found === null ? composer : replacedBy(composer, foldedAgain(composer, found, ui.history.sentPastes))
  // A recalled command is not to be completed before it is changed.
  return { ...closeSearch(ui), composing: { ...ui.composing, composer: taken, dismissed: taken.text } }
}

function replacedBy(composer: Composer, { text, pastes }: WithPastes): Composer {
  return replace({ ...composer, pastes }, { start: 0, end: composer.text.length, text })
}

export function closeSearch(ui: UiState): UiState {
  return changePart(ui, 'history', { search: null, allPrompts: [] })
}

/** Handles a key that the table gives no meaning: text changes the query, a move takes the match. */
export function pressInSearch(ui: UiState, event: KeyEvent, { state }: UiContext): UiStep {
  const { search } = ui.history
  const command = commandForKey(event)
  if (search === null || command === null) return stepTo(ui)
  switch (command.kind) {
    case 'insert':
    case 'paste':
      return stepTo(withQuery(ui, search.query + (command.text.split('\n')[0] ?? '')))
    case 'deleteBefore':
      return stepTo(withQuery(ui, [...search.query].slice(0, -1).join('')))
    case 'killToLineStart':
    case 'killBlankWordBefore':
    case 'killWordBefore':
      return stepTo(withQuery(ui, ''))
    default:
      return stepTo(takeFound(ui, state))
  }
}

function withQuery(ui: UiState, query: string): UiState {
  return changePart(ui, 'history', { search: { query, skipped: 0 } })
}

/** Returns the prompts that have the query, newest first, each once; capital letters count where the query has some. */
function matchesOf(ui: UiState, { query }: HistorySearch, state: ConversationState | null): readonly string[] {
  const isExact = query !== query.toLowerCase()
  const has = (text: string) => (isExact ? text : text.toLowerCase()).includes(query)
  return [...new Set([...ui.history.allPrompts, ...inputHistory(state, ui.history)].toReversed())].filter(has)
}
