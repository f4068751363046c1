import { atWordAt } from '@parley/presentation/composer/at-word'
import type { UiContext, UiStep } from '../state/actions.ts'
import { changePart } from '../state/ui-state.ts'

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
