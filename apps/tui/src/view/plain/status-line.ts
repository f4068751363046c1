import type { ConversationState, OpenItem } from '@parley/protocol'
import { approvedNotStarted, pendingApprovals } from '../../ui/answers.ts'
import { isInboxPaused } from '../../ui/inbox.ts'
import { goesOnWhen, storageWords } from '../../ui/outside-changes.ts'
import { isOffered, type UiState } from '../../ui/ui-state.ts'
import { runningShellCommands } from '../../ui/update/key-places.ts'
import { failureWords, isSavedHere, rejectedWords, tryWords } from '../live/activity.ts'
import { isRunningCall } from '../live/working-line.ts'
import { shownLine } from '../text/control-characters.ts'
import { callLine } from './item-lines.ts'

/** Returns what goes on and can be done about it; null if nothing does, or if a question says it. */
export function plainStatus(state: ConversationState | null, ui: UiState, nowMs: number): string | null {
  if (ui.link.kind === 'lost') return lostLine(state, ui)
  if (isOffered(ui, 'offerToLeave', nowMs)) return 'Press Ctrl+C again to leave.'
  if (ui.hangs) return 'The server does not answer. Type restart to start it anew, or wait.'
  if (ui.storage !== null) return `Not saved: ${storageWords(ui.storage)}. ${goesOnWhen(ui.storage)}.`
  if (ui.link.kind !== 'up' || state === null || ui.opened?.readOnly === true) return null
  const isAsked = pendingApprovals(state, ui).length > 0
  const command = runningShellCommands(ui, state).at(-1)
  if (command !== undefined && !isAsked)
    return ui.stoppingCommand === command ? 'Stopping your command.' : 'Your command runs. Ctrl+C stops it.'
  if (state.core.turn !== null) return isAsked ? null : turnStatus(state, state.core.turn, ui, nowMs)
  return isInboxPaused(state) ? 'Messages wait. An empty line sends them.' : null
}

function lostLine(state: ConversationState | null, ui: UiState): string {
  if (ui.link.kind === 'lost' && ui.link.reason === 'rejected')
    return `${rejectedWords}. Ctrl+D leaves, restart tries again.`
  return `The server ended${isSavedHere(state, ui) ? '; your conversation is saved' : ''}. Type restart to go on.`
}

function turnStatus(
  state: ConversationState,
  { id, parked, limit, missingKey, retry }: NonNullable<ConversationState['core']['turn']>,
  ui: UiState,
  nowMs: number,
): string | null {
  if (ui.stoppingTurn === id) return 'Stopping.'
  const [approved] = approvedNotStarted(state)
  if (approved !== undefined)
    return `Approved, not started: ${shownLine(approved.title)}. An empty line runs it, Ctrl+C leaves it.`
  if (limit !== undefined) return 'Limit reached. An empty line allows as much again, Ctrl+C ends the turn.'
  if (missingKey !== undefined)
    return `The turn waits for a key for ${shownLine(missingKey)}, and goes on by itself. /model takes another model, Ctrl+C ends it.`
  if (parked) return 'This turn waits. An empty line lets it go on, Ctrl+C ends it.'
  if (retry !== null && retry.retryAt > nowMs)
    return `${failureWords(retry.failure)}, ${tryWords(retry.attempt, retry.attempts)} follows. An empty line tries now, Ctrl+C stops.`
  return runningWords(Object.values(state.core.open).filter(isRunningCall))
}

/** Returns the calls that run, without those that only look at something. */
function runningWords(running: readonly OpenItem[]): string | null {
  const calls = running.flatMap(({ item }) => {
    const isEffect = item.type === 'commandExecution' || item.type === 'fileChange'
    return isEffect || (item.type === 'toolCall' && item.readOnly !== true) ? [callLine(item)] : []
  })
  return calls.length === 0 ? null : calls.join('; ')
}
