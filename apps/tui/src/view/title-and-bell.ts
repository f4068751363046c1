import { collapseBlanks, shownName } from '@parley/presentation/text/control-characters'
import { truncateText } from '@parley/presentation/text/truncate'
import type { ApprovalId, ConversationId, ConversationState, TurnId } from '@parley/protocol'

/** News for a user who looks at another window. */
export interface Telling {
  readonly type: 'approval' | 'turnEnded' | 'failed'
  readonly conversationId: ConversationId
  readonly cwd: string
  /** Name of the conversation. */
  readonly title: string
  /** Sentence without a line end or controls. */
  readonly text: string
}

/** Window title, and the events that the terminal was last notified of. */
export interface Announced {
  readonly title: string
  readonly approvalId: ApprovalId | null
  readonly turn: { readonly id: TurnId; readonly startedAt: number; readonly atLimit: boolean } | null
  /** Event to tell once nothing was typed for a while; dropped by a key. */
  readonly due: { readonly telling: Telling; readonly atMs: number } | null
}

export const unannounced: Announced = { title: '', approvalId: null, turn: null, due: null }

/** A turn longer than this has probably been left unattended. */
const longTurnMs = 10_000
/** Time without a key after which nobody seems to be there. */
const quietMs = 8_000
const titleColumns = 60

interface Situation {
  readonly state: ConversationState | null
  /** Approval on the screen. */
  readonly approvalId: ApprovalId | null
  readonly nowMs: number
  /** Time of the last key, in ms since the epoch. */
  readonly typedAtMs: number
}

/** Change of the window's title, and event to tell the user. */
export interface Signal {
  /** New title of the window; null if it stays. */
  readonly title: string | null
  readonly telling: Telling | null
  /** Time to ask again, in ms since the epoch, because a key was pressed just now; null if nothing waits. */
  readonly againAtMs: number | null
}

interface Announcement extends Signal {
  readonly announced: Announced
}

/** Returns a new window title and what to tell, each null if nothing changed. */
export function announce(before: Announced, situation: Situation): Announcement {
  const { state, approvalId, nowMs, typedAtMs } = situation
  const turn = state?.core.turn ?? null
  const name = nameOf(state)
  const title = approvalId === null && !isAtLimit(turn) ? name : `? ${name}`
  const now = {
    ...{ title, approvalId },
    turn: turn === null ? null : { id: turn.id, startedAt: turn.startedAt, atLimit: isAtLimit(turn) },
  }
  const fresh = eventOf(before, situation)
  const waiting = fresh === null ? stillDue(before, situation) : { telling: fresh, atMs: nowMs }
  const isQuiet = nowMs - typedAtMs >= quietMs
  return {
    announced: { ...now, due: isQuiet ? null : waiting },
    title: title === before.title ? null : title,
    telling: isQuiet ? (waiting?.telling ?? null) : null,
    againAtMs: isQuiet || waiting === null ? null : typedAtMs + quietMs,
  }
}

function isAtLimit(turn: ConversationState['core']['turn']): boolean {
  return turn?.limit !== undefined
}

function stillDue({ due }: Announced, { state, approvalId, typedAtMs }: Situation): Announced['due'] {
  if (due === null || typedAtMs > due.atMs) return null
  return due.telling.type === 'approval' && approvalId === null && !isAtLimit(state?.core.turn ?? null) ? null : due
}

function eventOf(before: Announced, { state, approvalId, nowMs }: Situation): Telling | null {
  if (state === null) return null
  const { conversationId, cwd } = state.core.meta
  const place = { conversationId, cwd, title: nameOf(state) }
  if (approvalId !== null && approvalId !== before.approvalId) {
    const asked = oneLine(state.core.approvals[approvalId]?.title ?? '')
    return { ...place, type: 'approval', text: `waits for your answer${asked === '' ? '' : `: ${asked}`}` }
  }
  const { turn, lastTurn } = state.core
  if (isAtLimit(turn) && before.turn?.atLimit !== true)
    return { ...place, type: 'approval', text: 'waits for your answer: a limit is reached' }
  if (before.turn === null || turn?.id === before.turn.id || nowMs - before.turn.startedAt <= longTurnMs) return null
  const failure = lastTurn?.id === before.turn.id ? lastTurn.failure : null
  return failure === null
    ? { ...place, type: 'turnEnded', text: 'is done' }
    : { ...place, type: 'failed', text: `stopped: ${oneLine(failure.message)}` }
}

function nameOf(state: ConversationState | null): string {
  const name = state === null ? '' : (state.core.meta.name ?? state.core.meta.title)
  const text = shownName(name)
  return text === '' ? 'parley' : `parley: ${truncateText(text, { columns: titleColumns })}`
}

/** Longest text of an event, in cells. */
const textColumns = 200

function oneLine(text: string): string {
  return truncateText(shownName(collapseBlanks(text)), { columns: textColumns })
}
