import type { ConversationCore, ConversationState, OpenItem, Plan } from '@parley/protocol'
import { isAsking } from '../question/answers.ts'
import { formatDuration } from '../text/formats.ts'

export function isFinished({ steps }: Plan): boolean {
  return steps.every(({ status }) => status === 'completed')
}

/** Time of the turn that runs, and how much of it was spent waiting for the user. */
export interface TurnClock {
  readonly turnId: string
  /** ms since the epoch. */
  readonly startedAt: number
  readonly waitedMs: number
  /** Time since which the turn waits for the user; null while it works. */
  readonly waitingSinceMs: number | null
  /** Message or reasoning that arrives, as it was at `heardAtMs`; null before the first one. */
  readonly heard: OpenItem | null
  /** Time at which more of it came. */
  readonly heardAtMs: number
}

/** Returns the clock of the turn that runs now; null without one. */
export function followTurn(clock: TurnClock | null, state: ConversationState, nowMs: number): TurnClock | null {
  const { turn } = state.core
  if (turn === null) return null
  const { id: turnId, startedAt } = turn
  const begun = { turnId, startedAt, waitedMs: 0, waitingSinceMs: null, heard: null, heardAtMs: nowMs }
  const before = clock?.turnId === turnId ? clock : begun
  const heard = arriving(state)
  const known = before.heard === heard ? before : { ...before, heard, heardAtMs: nowMs }
  const isWaiting = turn.parked || isAsking(state)
  if (isWaiting === (known.waitingSinceMs !== null)) return known
  if (isWaiting) return { ...known, waitingSinceMs: nowMs }
  return { ...known, waitedMs: waitedMs(known, nowMs), waitingSinceMs: null }
}

function arriving({ core }: ConversationState): OpenItem | null {
  const open = Object.values(core.open)
  return open.findLast(({ item }) => item.type === 'agentMessage' || item.type === 'reasoning') ?? null
}

/** Silence in ms from which on it is said. */
const saidSilenceMs = 15_000

/** Returns for how many whole seconds nothing has come of an answer that has begun; null while that is no news. */
export function silentSeconds(clock: TurnClock | null, nowMs: number): number | null {
  if (clock === null || clock.heard === null || clock.waitingSinceMs !== null) return null
  const silentMs = nowMs - clock.heardAtMs
  return silentMs < saidSilenceMs ? null : Math.floor(silentMs / 1_000)
}

/** Returns how long the turn has worked, in ms; waiting is not counted. */
export function workedMs(clock: TurnClock, nowMs: number): number {
  return Math.max(0, nowMs - clock.startedAt - waitedMs(clock, nowMs))
}

function waitedMs({ waitedMs: before, waitingSinceMs }: TurnClock, nowMs: number): number {
  return before + (waitingSinceMs === null ? 0 : Math.max(0, nowMs - waitingSinceMs))
}

/** Shortest time in ms that is said of a turn or of waiting. */
const leastMs = 1_000

const minuteMs = 60_000

const dayMinutes = 24 * 60

const endings = { completed: 'done in', interrupted: 'stopped after', failed: 'failed after' } as const

export interface EndedTurn {
  readonly core: ConversationCore
  /** Plan that the turn made or changed; null without a plan. */
  readonly plan: Plan | null
}

/** Returns how much of the plan was done, where the turn left some of it. */
function planLeft(plan: Plan | null): string {
  if (plan === null || isFinished(plan)) return ''
  return ` · ${plan.steps.filter(({ status }) => status === 'completed').length} of ${plan.steps.length} steps done`
}

export function endingText(clock: TurnClock, { core: { lastTurn }, plan }: EndedTurn, offsetMs: number): string | null {
  if (lastTurn?.id !== clock.turnId) return null
  const worked = workedMs(clock, lastTurn.endedAt)
  const waited = waitedMs(clock, lastTurn.endedAt)
  if (worked + waited < leastMs) return null
  const waiting = waited < leastMs ? '' : ` · ${formatDuration(waited)} waiting for you`
  const minutes = Math.floor((lastTurn.endedAt + offsetMs) / minuteMs) % dayMinutes
  const time = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':')
  return `${endings[lastTurn.outcome]} ${formatDuration(worked)}${waiting}${planLeft(plan)} · ${time}`
}
