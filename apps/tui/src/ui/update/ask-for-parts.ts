import type { ConversationState } from '@parley/protocol'
import type { UiContext, UiStep } from '../state/actions.ts'
import { changePart, type UiState } from '../state/ui-state.ts'

/** Age from which skills and commands are listed anew when a name is begun. */
const staleAfterMs = 5_000

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
  const folder = partsFolder(context.state)
  if (folder === null || ui.opened === null || ui.connection.link.kind !== 'up') return step
  if (partsAsked?.folder === folder && context.nowMs - partsAsked.atMs < staleAfterMs) return step
  return {
    ui: changePart(ui, 'lists', { partsAsked: { folder, atMs: context.nowMs } }),
    intents: [...step.intents, { kind: 'listParts', folder }],
  }
}

/** Returns the folder to look from, on the machine of the conversation. */
function partsFolder(state: ConversationState | null): string | null {
  return state === null ? null : state.core.meta.cwd
}
