import type { ApprovalId, ConversationState, TurnId } from '@parley/protocol'
import { shownName } from './text/control-characters.ts'
import { truncateText } from './text/fit-rows.ts'

/** Window title and pending events that the terminal was last notified of. */
export interface Announced {
  readonly title: string
  readonly approvalId: ApprovalId | null
  readonly turn: { readonly id: TurnId; readonly startedAt: number } | null
}

export const unannounced: Announced = { title: '', approvalId: null, turn: null }

/** A turn longer than this has probably been left unattended. */
const longTurnMs = 10_000
const titleColumns = 60

/** Returns a new window title and a line to ring the bell with, each null if nothing changed. */
export function announce(
  before: Announced,
  state: ConversationState | null,
  approvalId: ApprovalId | null,
  nowMs: number,
): { readonly announced: Announced; readonly title: string | null; readonly ring: string | null } {
  const name = nameOf(state)
  const title = approvalId === null ? name : `? ${name}`
  const turn = state?.core.turn ?? null
  const announced = { title, approvalId, turn: turn === null ? null : { id: turn.id, startedAt: turn.startedAt } }
  return { announced, title: title === before.title ? null : title, ring: ringFor(before, announced, name, nowMs) }
}

function nameOf(state: ConversationState | null): string {
  const name = state === null ? '' : (state.core.meta.name ?? state.core.meta.title)
  const text = shownName(name)
  return text === '' ? 'parley' : `parley: ${truncateText(text, { columns: titleColumns })}`
}

function ringFor(before: Announced, { approvalId, turn }: Announced, name: string, nowMs: number): string | null {
  if (approvalId !== null && approvalId !== before.approvalId) return `${name} waits for your answer`
  const hasEnded = before.turn !== null && turn?.id !== before.turn.id
  return hasEnded && nowMs - before.turn.startedAt > longTurnMs ? `${name} is done` : null
}
