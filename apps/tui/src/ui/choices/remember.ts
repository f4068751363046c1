import { memoryChoices, type ShownMemory } from '@parley/presentation/commands/memory-words'
import { type MenuRow, newMenu, plainRow } from '../menu/menu.ts'
import { stepTo, type UiContext, type UiStep } from '../state/actions.ts'
import type { UiState } from '../state/ui-state.ts'

/** Asks if the line that is shown is to be written, or into the other file. */
export function askToRemember(ui: UiState, memory: ShownMemory, { nowMs }: UiContext): UiStep {
  const row = (key: string, text: string, detail: string): MenuRow => ({ ...plainRow, key, text, detail })
  const rows = [
    // Chosen at first, so that an Enter too many changes no file.
    row('nothing', 'nothing', 'all stays as it is'),
    ...memoryChoices(memory).map(({ key, text, detail }) => row(key, text, detail)),
  ]
  const menu = newMenu({ kind: 'remember', title: 'Remember it?', rows }, nowMs)
  return stepTo({ ...ui, menu: { ...menu, memory } })
}

/** Takes a choice of what becomes of the line. */
export function takeMemory(ui: UiState, choice: string, memory: ShownMemory | null): UiStep {
  if (memory === null) return stepTo(ui)
  const { text, where } = memory
  if (choice === 'write') return stepTo(ui, { kind: 'remember', memory })
  if (choice !== 'other') return stepTo(ui)
  return stepTo(ui, { kind: 'planRemember', text, where: where === 'project' ? 'user' : 'project' })
}
