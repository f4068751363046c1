import { completionsFor, type SlashCommand } from './slash-commands.ts'
import type { UiState } from './ui-state.ts'

/** The list of commands that is shown while one is being written. */
export function completionsOf({ composer, dismissed, purpose }: UiState): readonly SlashCommand[] {
  return purpose.kind === 'message' && composer.text !== dismissed ? completionsFor(composer.text) : []
}

export function chosenCompletion(ui: UiState): SlashCommand | null {
  const list = completionsOf(ui)
  return list[Math.min(ui.choice, list.length - 1)] ?? null
}
