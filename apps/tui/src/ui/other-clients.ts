import type { Actor, ApprovalDecision, EventOf, SettingsPatch } from '@parley/protocol'
import { stripEffects } from '../view/text/control-characters.ts'
import { truncateText } from '../view/text/truncate.ts'
import { addNote, type UiState } from './ui-state.ts'

const decisionWords: Readonly<Record<ApprovalDecision, string>> = {
  approved: 'approved',
  approvedForSession: 'approved for this conversation',
  approvedAlways: 'approved for always',
  denied: 'denied',
  abort: 'stopped',
}

/** Adds a notice that another client answered an approval shown here. */
export function noteAnswered(ui: UiState, { by, decision }: EventOf<'approval.decided'>): UiState {
  if (decision === 'withdrawn' || ui.ownClients.includes(by.clientId)) return ui
  return addNote(ui, 'info', `answered by ${actorName(by)}: ${decisionWords[decision]}`)
}

/** Adds a notice of settings that another client changed. */
export function noteConfigured(ui: UiState, { by, settings }: EventOf<'conversation.configured'>): UiState {
  if (by === undefined || ui.ownClients.includes(by.clientId)) return ui
  const changed = settingsLine(settings)
  return changed === '' ? ui : addNote(ui, 'info', `${changed} (changed by ${actorName(by)}).`)
}

/** Returns the changed settings on one line. */
export function settingsLine({ model, modelProvider, effort, approvalPolicy, sandbox }: SettingsPatch): string {
  const named: readonly (readonly [string, string | undefined])[] = [
    ['Sandbox', sandbox],
    ['Approvals', approvalPolicy],
    ['Provider', modelProvider],
    ['Model', model],
    ['Effort', effort],
  ]
  return named.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`])).join(', ')
}

const nameColumns = 60

/** Returns a client's name, which may be any text, as one short row. */
export function actorName({ title, name }: Pick<Actor, 'title' | 'name'>): string {
  const text = stripEffects(title || name)
    .replaceAll('\n', ' ')
    .trim()
  return text === '' ? 'somebody' : truncateText(text, { columns: nameColumns })
}
