import {
  elapsed,
  failureWords,
  isInboxPaused,
  networkWords,
  refusedNow,
  repairWords,
  tryWords,
} from '@parley/presentation/items/turn-words'
import { approvedNotStarted } from '@parley/presentation/question/answers'
import { shownLine, shownName } from '@parley/presentation/text/control-characters'
import type { Line, Room } from '@parley/presentation/text/span'
import { truncateText } from '@parley/presentation/text/truncate'
import type { Approval, ConversationState, Failure, Turn } from '@parley/protocol'
import type { SoughtServer } from '../../ui/link/link.ts'
import { goesOnWhen, storageWords } from '../../ui/outside-changes.ts'
import { maySend } from '../../ui/people/held-role.ts'
import { isOffered, type UiState, waitingApprovals } from '../../ui/state/ui-state.ts'
import { runningShellCommands } from '../../ui/update/key-places.ts'
import { type WorkMoment, workingLine } from './working-line.ts'

/** Line above the composer that describes the current activity. */
export interface Activity {
  readonly line: Line
  /** Time at which the line changes without input, in ms since the epoch. */
  readonly changesAtMs: number | null
}

type ActivityMoment = Omit<WorkMoment, 'isStill'>

/** Returns what goes on; null if nothing does, or if a question says it. */
export function activityOf(state: ConversationState | null, ui: UiState, moment: ActivityMoment): Activity | null {
  const { nowMs } = moment
  if (ui.connection.link.kind === 'lost') return still(lostLine(state, ui))
  if (isOffered(ui.keys, 'offerToLeave', nowMs)) {
    return {
      line: [{ text: 'Press Ctrl+C again to leave', tone: 'warn' }],
      changesAtMs: (ui.keys.offer?.untilMs ?? nowMs) + 1,
    }
  }
  if (ui.connection.hangs) return still(hangingLine(ui))
  if (ui.storage.errno !== null) return still(storageLine(ui.storage.errno))
  if (isOffered(ui.keys, 'offerEarlier', nowMs)) {
    const text = 'Esc again: go back to an earlier message'
    return { line: [{ text, tone: 'muted' }], changesAtMs: (ui.keys.offer?.untilMs ?? nowMs) + 1 }
  }
  if (ui.connection.link.kind === 'starting') return startingActivity(ui, ui.connection.link.sought)
  if (state === null || !maySend(ui.opened)) return null
  const command = runningShellCommands(ui.work, state).at(-1)
  if (command !== undefined && waitingApprovals(state, ui).length === 0)
    return still(
      ui.work.stoppingCommand === command
        ? [{ text: 'stopping your command…', tone: 'warn' }]
        : [
            { text: 'your command runs, without a terminal', tone: 'accent' },
            { text: ' · esc stops it · ctrl+b background', tone: 'muted' },
          ],
    )
  if (state.core.turn !== null) return turnActivity(state, state.core.turn, ui, moment)
  if (isInboxPaused(state))
    return still([{ text: 'These messages wait. Enter on an empty line sends them', tone: 'warn' }])
  const refused = refusedNow(state)
  return refused === null ? null : still([{ text: `Enter on an empty line ${repairWords(refused)}`, tone: 'warn' }])
}

function still(line: Line): Activity {
  return { line, changesAtMs: null }
}

function storageLine(errno: string): Line {
  return [
    { text: `Not saved: ${storageWords(errno)}. `, tone: 'bad', bold: true },
    { text: `${goesOnWhen(errno)} · Esc stops the turn`, tone: 'bad' },
  ]
}

function hangingLine({ opened }: UiState): Line {
  const way = opened?.isFar ? 'Ctrl+R connects anew' : 'Ctrl+R starts it anew'
  return [
    { text: 'The server does not answer. ', tone: 'bad', bold: true },
    { text: `${way} · Esc waits · Ctrl+D leaves`, tone: 'bad' },
  ]
}

function startingActivity(ui: UiState, sought: SoughtServer | undefined): Activity | null {
  if (sought !== undefined) return still(soughtLine(sought))
  return isWaitedFor(ui) ? still([{ text: 'starting…', tone: 'muted' }]) : null
}

function soughtLine({ address, trying, isRejected, why }: SoughtServer): Line {
  const [lost, next] = [address, trying].map((url) => shownName(url.replace(/^wss?:\/\//, '')))
  const text = lost === next ? `trying again` : `trying ${next}`
  const what = isRejected ? `${lost} does not accept your token any more` : `Connection to ${lost} lost`
  return [
    { text: `${what}, ${text}… `, tone: 'warn' },
    ...(why === undefined ? [] : [{ text: `${shownName(why)} · `, tone: 'warn' } as const]),
    { text: 'nothing shown is lost', tone: 'muted' },
  ]
}

function lostLine(
  state: ConversationState | null,
  { composing: { composer }, opened, connection: { link } }: UiState,
): Line {
  const key = composer.text === '' ? 'r' : 'Ctrl+R'
  const reason = link.kind === 'lost' ? link.reason : undefined
  if (reason === 'rejected') return rejectedLine(key)
  if (opened?.isFar) return noServerLine(key)
  if (reason === 'taken') return takenLine(key)
  const way = opened?.onlyWatches ? 'to join it again' : opened?.attached ? 'to go on here' : 'to restart'
  const kept = isSavedHere(state, { opened }) ? '; your conversation is saved' : ''
  return [
    { text: `The server ended${kept}. `, tone: 'bad', bold: true },
    { text: `Press ${key} ${way}`, tone: 'bad' },
  ]
}

function takenLine(key: string): Line {
  return [
    { text: 'Another server went on with this conversation. ', tone: 'bad', bold: true },
    { text: `Press ${key} to go on with it`, tone: 'bad' },
  ]
}

function rejectedLine(key: string): Line {
  return [
    { text: `${rejectedWords}. `, tone: 'bad', bold: true },
    { text: `Ctrl+D leaves, ${key} tries again`, tone: 'bad' },
  ]
}

/** Words for a window with a token that every server rejects. */
export const rejectedWords = 'Your token is not accepted any more; what was shown is saved there'

function noServerLine(key: string): Line {
  return [
    { text: 'No server answers; what was shown is saved there. ', tone: 'bad', bold: true },
    { text: `Press ${key} to try again`, tone: 'bad' },
  ]
}

/** Returns true if the conversation outlives its server. */
export function isSavedHere(state: ConversationState | null, { opened }: Pick<UiState, 'opened'>): boolean {
  return opened?.ephemeral === false && state !== null && state.core.seq > 0
}

/** Returns true if something waits for the server to start. */
function isWaitedFor({ outbox: { unsent }, opened }: UiState): boolean {
  return unsent.length > 0 || opened !== null
}

function turnActivity(state: ConversationState, turn: Turn, ui: UiState, moment: ActivityMoment): Activity | null {
  const { nowMs } = moment
  const work = workingLine(state, turn, { ...moment, isStill: ui.look.isStill })
  if (ui.work.stoppingTurn === turn.id) return still([{ text: 'stopping…', tone: 'warn' }])
  if (waitingApprovals(state, ui).length > 0) return null
  if (ui.answering.answeredApproval !== null) return answerActivity(work, ui, nowMs)
  const [approved] = approvedNotStarted(state)
  if (approved !== undefined) return still(notStartedLine(approved))
  if (turn.limit !== undefined)
    return still([{ text: 'Limit reached. Enter on an empty line allows as much again, Esc ends it', tone: 'warn' }])
  if (turn.missingKey !== undefined) return still([{ text: missingKeyText(turn.missingKey), tone: 'warn' }])
  if (turn.parked)
    return still([{ text: 'This turn waits. Enter on an empty line lets it go on, Esc ends it', tone: 'warn' }])
  if (turn.retry !== null && turn.retry.retryAt > nowMs) return retryActivity(turn.retry, moment)
  return work
}

function missingKeyText(provider: string): string {
  return `Waits for a key for ${shownLine(provider)}, and goes on by itself; /model takes another model, Esc ends it`
}

/** Delay after which an answer counts as slow; normally it takes milliseconds. */
const answerSlowAfterMs = 1_000

function answerActivity(work: Activity, { answering: { answeredAtMs } }: UiState, nowMs: number): Activity {
  const slowAtMs = answeredAtMs + answerSlowAfterMs
  if (nowMs >= slowAtMs) return still([{ text: 'Sending the answer…', tone: 'warn' }])
  return { ...work, changesAtMs: Math.min(slowAtMs, work.changesAtMs ?? slowAtMs) }
}

function notStartedLine({ title }: Approval): Line {
  return [
    { text: 'Approved, not started: ', bold: true, tone: 'warn' },
    { text: 'Enter runs it, Esc leaves it  ' },
    { text: shownLine(title), tone: 'muted' },
  ]
}

function retryActivity(retry: NonNullable<Turn['retry']>, { nowMs, room }: ActivityMoment): Activity {
  const { retryAt, attempt, attempts, failure, asked } = retry
  const seconds = Math.ceil((retryAt - nowMs) / 1000)
  if (retry.network === true)
    return { line: networkLine(failure, seconds, room), changesAtMs: retryAt - (seconds - 1) * 1000 }
  const line: Line = [
    {
      text: `${failureWords(failure)}, ${tryWords(attempt, attempts)} in ${elapsed(seconds)}${asked === true ? ', as it asks' : ''}`,
      tone: 'warn',
    },
    { text: ' · esc stops · enter tries now', tone: 'muted' },
  ]
  return { line, changesAtMs: retryAt - (seconds - 1) * 1000 }
}

/** Cells below which it is not said what could not be reached. */
const leastReason = 20

function networkLine(failure: Failure, seconds: number, room: Room): Line {
  const text = `no connection · tries again in ${elapsed(seconds)}`
  const keys = ' · Enter now · Esc stop'
  const columns = room.columns - text.length - keys.length
  const reason = columns < leastReason ? '' : truncateText(` · ${networkWords(failure)}`, { ...room, columns })
  return [
    { text, tone: 'warn' },
    { text: keys + reason, tone: 'muted' },
  ]
}
