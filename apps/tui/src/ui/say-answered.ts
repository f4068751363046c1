import type { ApprovalDecision, EventOf } from '@parley/protocol'
import { actorName } from './actor-name.ts'
import { sayNote, type UiState } from './ui-state.ts'

const words: Readonly<Record<ApprovalDecision, string>> = {
  approved: 'approved',
  approvedForSession: 'approved for this conversation',
  approvedAlways: 'approved for always',
  denied: 'denied',
  abort: 'stopped',
}

/** Why a question is gone that this window has shown and not answered. */
export function sayAnswered(ui: UiState, { by, decision }: EventOf<'approval.decided'>): UiState {
  if (decision === 'withdrawn' || ui.ownClients.includes(by.clientId)) return ui
  return sayNote(ui, 'info', `answered by ${actorName(by)}: ${words[decision]}`)
}
