/** End of the time in which a second Ctrl+C leaves, in ms since the epoch; null if not offered. */
export interface Interrupts {
  readonly armedUntilMs: number | null
}

export const leaveNotOffered: Interrupts = { armedUntilMs: null }

/** Keys that stop something; SIGINT from outside counts as Ctrl+C. */
export type StopKey = 'escape' | 'ctrl+c' | 'ctrl+d'

export interface Situation {
  readonly textEmpty: boolean
  /** True if a list or another overlay covers the composer. */
  readonly overlayOpen: boolean
  /** State of the turn. `stopping`: an interrupt was sent and not yet confirmed. */
  readonly turn: 'none' | 'running' | 'stopping'
  readonly nowMs: number
}

export type StopAction =
  | 'none'
  | 'clearText'
  | 'closeOverlay'
  | 'interruptTurn'
  | 'offerToLeave'
  | 'leave'
  | 'deleteAfter'

export interface Stop {
  readonly interrupts: Interrupts
  readonly action: StopAction
}

/** Time in which a second Ctrl+C leaves. */
const leaveWithinMs = 2_000

/**
 * Returns what a stop key does. Ctrl+C clears text, then interrupts the turn, then offers to leave, then leaves. Escape
 * closes overlays, else interrupts. Ctrl+D leaves on an empty composer.
 */
export function pressStop(interrupts: Interrupts, key: StopKey, situation: Situation): Stop {
  switch (key) {
    case 'escape':
      return { interrupts: leaveNotOffered, action: escapeAction(situation) }
    case 'ctrl+d':
      return { interrupts: leaveNotOffered, action: endAction(situation) }
    case 'ctrl+c':
      return pressControlC(interrupts, situation)
  }
}

/** Returns true while a second Ctrl+C leaves. */
export function isLeaveOffered({ armedUntilMs }: Interrupts, nowMs: number): boolean {
  return armedUntilMs !== null && nowMs <= armedUntilMs
}

function escapeAction({ overlayOpen, turn }: Situation): StopAction {
  if (overlayOpen) return 'closeOverlay'
  return turn === 'running' ? 'interruptTurn' : 'none'
}

function endAction({ textEmpty, overlayOpen }: Situation): StopAction {
  if (overlayOpen) return 'closeOverlay'
  return textEmpty ? 'leave' : 'deleteAfter'
}

/** Handles Ctrl+C; does not wait for a stopping turn, because a hanging server must not keep the user. */
function pressControlC(interrupts: Interrupts, situation: Situation): Stop {
  if (!situation.textEmpty) return { interrupts: leaveNotOffered, action: 'clearText' }
  if (situation.turn === 'running') return { interrupts: leaveNotOffered, action: 'interruptTurn' }
  if (isLeaveOffered(interrupts, situation.nowMs)) return { interrupts: leaveNotOffered, action: 'leave' }
  return { interrupts: { armedUntilMs: situation.nowMs + leaveWithinMs }, action: 'offerToLeave' }
}
