/** Leaving was offered; null when it was not. */
export interface Interrupts {
  readonly armedUntilMs: number | null
}

export const leaveNotOffered: Interrupts = { armedUntilMs: null }

/** The keys that stop things; a SIGINT from outside is the same as the key. */
export type StopKey = 'escape' | 'ctrl+c' | 'ctrl+d'

export interface Situation {
  readonly textEmpty: boolean
  /** A list, pager or other thing that lies over the composer. */
  readonly overlayOpen: boolean
  /** `stopping`: an interrupt has been sent and the server has not confirmed it. */
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

/** How long a second Ctrl+C leaves. */
const leaveWithinMs = 2_000

/**
 * Ctrl+C: text goes first, then the turn, then it offers to leave and leaves on the second press. Escape closes what is
 * open, else interrupts, never leaves. Ctrl+D leaves on an empty composer.
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

/** Whether the offer to leave still stands, to be said on the screen. */
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

/** A turn that is already stopping is not waited for: a server that hangs must not keep the user. */
function pressControlC(interrupts: Interrupts, situation: Situation): Stop {
  if (!situation.textEmpty) return { interrupts: leaveNotOffered, action: 'clearText' }
  if (situation.turn === 'running') return { interrupts: leaveNotOffered, action: 'interruptTurn' }
  if (isLeaveOffered(interrupts, situation.nowMs)) return { interrupts: leaveNotOffered, action: 'leave' }
  return { interrupts: { armedUntilMs: situation.nowMs + leaveWithinMs }, action: 'offerToLeave' }
}
