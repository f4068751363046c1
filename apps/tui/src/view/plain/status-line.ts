import { silentSeconds, type TurnClock } from '@parley/presentation/items/turn-clock'
import {
  failureWords,
  isInboxPaused,
  networkWords,
  refusedNow,
  repairWords,
  tryWords,
} from '@parley/presentation/items/turn-words'
import { approvedNotStarted } from '@parley/presentation/question/answers'
import { shownLine } from '@parley/presentation/text/control-characters'
import type { ConversationState, OpenItem } from '@parley/protocol'
import { goesOnWhen, storageWords } from '../../ui/outside-changes.ts'
import { isOffered, type UiState, waitingApprovals } from '../../ui/state/ui-state.ts'
import { runningShellCommands } from '../../ui/update/key-places.ts'
import { isSavedHere, rejectedWords } from '../live/activity.ts'
import { isRunningCall } from '../live/working-line.ts'
import { callLine } from './item-lines.ts'

interface PlainMoment {
  readonly nowMs: number
  readonly clock: TurnClock | null
}

/** Returns what goes on and can be done about it; null if nothing does, or if a question says it. */
export function plainStatus(state: ConversationState | null, ui: UiState, moment: PlainMoment): string | null {
  const { nowMs } = moment
  if (ui.connection.link.kind === 'lost') return lostLine(state, ui)
  if (isOffered(ui.keys, 'offerToLeave', nowMs)) return 'Press Ctrl+C again to leave.'
  if (ui.connection.hangs) return 'The server does not answer. Type restart to start it anew, or wait.'
  if (ui.storage.errno !== null) return `Not saved: ${storageWords(ui.storage.errno)}. ${goesOnWhen(ui.storage.errno)}.`
  if (ui.connection.link.kind !== 'up' || state === null || ui.opened?.readOnly === true) return null
  const isAsked = waitingApprovals(state, ui).length > 0
  const command = runningShellCommands(ui.work, state).at(-1)
  if (command !== undefined && !isAsked)
    return ui.work.stoppingCommand === command ? 'Stopping your command.' : 'Your command runs. Ctrl+C stops it.'
  if (state.core.turn !== null) return isAsked ? null : turnStatus(state, state.core.turn, ui, moment)
  if (isInboxPaused(state)) return 'Messages wait. An empty line sends them.'
  const refused = refusedNow(state)
  return refused === null ? null : `An empty line ${repairWords(refused)}.`
}

function lostLine(state: ConversationState | null, ui: UiState): string {
  if (ui.connection.link.kind === 'lost' && ui.connection.link.reason === 'rejected')
    return `${rejectedWords}. Ctrl+D leaves, restart tries again.`
  return `The server ended${isSavedHere(state, ui) ? '; your conversation is saved' : ''}. Type restart to go on.`
}

function turnStatus(
  state: ConversationState,
  { id, parked, limit, missingKey, retry }: NonNullable<ConversationState['core']['turn']>,
  ui: UiState,
  { nowMs, clock }: PlainMoment,
): string | null {
  if (ui.work.stoppingTurn === id) return 'Stopping.'
  const [approved] = approvedNotStarted(state)
  if (approved !== undefined)
    return `Approved, not started: ${shownLine(approved.title)}. An empty line runs it, Ctrl+C leaves it.`
  if (limit !== undefined) return 'Limit reached. An empty line allows as much again, Ctrl+C ends the turn.'
  if (missingKey !== undefined)
    return `The turn waits for a key for ${shownLine(missingKey)}, and goes on by itself. /model takes another model, Ctrl+C ends it.`
  if (parked) return 'This turn waits. An empty line lets it go on, Ctrl+C ends it.'
  if (retry?.network === true && retry.retryAt > nowMs)
    return `No connection: ${networkWords(retry.failure)}. It is tried again by itself. An empty line tries now, Ctrl+C stops.`
  if (retry !== null && retry.retryAt > nowMs)
    return `${failureWords(retry.failure)}, ${tryWords(retry.attempt, retry.attempts)} follows. An empty line tries now, Ctrl+C stops.`
  const silence = silenceStep(clock, nowMs)
  return silence === null
    ? runningWords(Object.values(state.core.open).filter(isRunningCall))
    : `Nothing has come of the answer for ${silence}. Ctrl+C stops.`
}

/** Returns the silence of an answer in steps, since each is a line: after 15 s, then each minute. */
function silenceStep(clock: TurnClock | null, nowMs: number): string | null {
  const seconds = silentSeconds(clock, nowMs)
  if (seconds === null) return null
  return seconds < 60 ? '15 s' : `${Math.floor(seconds / 60)} min`
}

/** Returns the time at which the silence of an answer is next said. */
export function silenceSaidAtMs(clock: TurnClock | null, nowMs: number): number | null {
  if (clock === null || clock.heard === null) return null
  const seconds = silentSeconds(clock, nowMs)
  return clock.heardAtMs + (seconds === null ? 15 : 60 * (Math.floor(seconds / 60) + 1)) * 1_000
}

/** Returns the running calls, without look-ups. */
function runningWords(running: readonly OpenItem[]): string | null {
  const calls = running.flatMap(({ item }) => {
    const isEffect = item.type === 'commandExecution' || item.type === 'fileChange'
    return isEffect || (item.type === 'toolCall' && item.readOnly !== true) ? [callLine(item)] : []
  })
  return calls.length === 0 ? null : calls.join('; ')
}
