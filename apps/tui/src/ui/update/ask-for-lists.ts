import { atWordAt } from '@parley/presentation/composer/at-word'
import type { UiContext, UiStep } from '../state/actions.ts'
import { changePart, type UiState } from '../state/ui-state.ts'

/** Age from which a list of files is made anew when another path is begun. */
const staleAfterMs = 10_000

/** Asks for the files of the conversation's folder while a path is written, unless they lie on another machine. */
export function askForFiles(step: UiStep, { state, nowMs }: UiContext): UiStep {
  const { ui } = step
  const word = ui.composing.purpose.kind === 'message' && ui.menu === null ? atWordAt(ui.composing.composer) : null
  if (word === null || state === null || ui.opened?.isFar || state.core.settings.environment !== undefined) return step
  const folder = state.core.meta.cwd
  const { filesAsked } = ui.lists
  const isNew = filesAsked?.folder !== folder
  const isStale = !isNew && word.query === '' && nowMs - filesAsked.atMs >= staleAfterMs
  if (!isNew && !isStale) return step
  return {
    ui: changePart(ui, 'lists', { files: isNew ? null : ui.lists.files, filesAsked: { folder, atMs: nowMs } }),
    intents: [...step.intents, { kind: 'listFiles', folder }],
  }
}

/** Age from which skills and commands are listed anew when a name is begun. */
const partsStaleAfterMs = 5_000

/** Asks for the skills and commands of the conversation's folder when a name is begun. */
export function askForParts(before: UiState, step: UiStep, context: UiContext): UiStep {
  const { composer, purpose } = step.ui.composing
  const { partsAsked } = step.ui.lists
  if (composer.text === before.composing.composer.text) return step
  const written = composer.text.slice(0, composer.caret)
  const isGiven = composer.text.startsWith('/') && !before.composing.composer.text.startsWith('/')
  const isBegun = isGiven || /^\/\w?$/.test(composer.text) || /(?:^|[\s(])\$\w?$/.test(written)
  if (purpose.kind !== 'message' || !isBegun) return step
  const { ui } = step
  const folder = context.state?.core.meta.cwd ?? null
  if (folder === null || ui.opened === null || ui.connection.link.kind !== 'up') return step
  if (partsAsked?.folder === folder && context.nowMs - partsAsked.atMs < partsStaleAfterMs) return step
  return {
    ui: changePart(ui, 'lists', { partsAsked: { folder, atMs: context.nowMs } }),
    intents: [...step.intents, { kind: 'listParts', folder }],
  }
}
