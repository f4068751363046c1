import type { EventOf } from '@parley/protocol'
import { settingsLine } from '../view/settings-line.ts'
import { actorName } from './actor-name.ts'
import { sayNote, type UiState } from './ui-state.ts'

/** Settings that someone else has changed; what this window changed it says itself. */
export function sayConfigured(ui: UiState, { by, settings }: EventOf<'conversation.configured'>): UiState {
  if (by === undefined || ui.ownClients.includes(by.clientId)) return ui
  const changed = settingsLine(settings)
  return changed === '' ? ui : sayNote(ui, 'info', `${changed} (changed by ${actorName(by)}).`)
}
