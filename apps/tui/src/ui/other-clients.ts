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

/** Why a question is gone that this window has shown and not answered. */
export function noteAnswered(ui: UiState, { by, decision }: EventOf<'approval.decided'>): UiState {
  if (decision === 'withdrawn' || ui.ownClients.includes(by.clientId)) return ui
  return addNote(ui, 'info', `answered by ${actorName(by)}: ${decisionWords[decision]}`)
}

/** Settings that someone else has changed; what this window changed it says itself. */
export function noteConfigured(ui: UiState, { by, settings }: EventOf<'conversation.configured'>): UiState {
  if (by === undefined || ui.ownClients.includes(by.clientId)) return ui
  const changed = settingsLine(settings)
  return changed === '' ? ui : addNote(ui, 'info', `${changed} (changed by ${actorName(by)}).`)
}

/** What was changed, for a line of the transcript. */
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

/** What a client calls itself, which may be anything: one short row of plain text. */
export function actorName({ title, name }: Pick<Actor, 'title' | 'name'>): string {
  const text = stripEffects(title || name)
    .replaceAll('\n', ' ')
    .trim()
  return text === '' ? 'somebody' : truncateText(text, { columns: nameColumns })
}
