import type { ConversationState } from '@parley/protocol'

export interface Leaving {
  readonly shortId: string
  readonly state: ConversationState
  /** Nothing could be sent from here: this window only watched, or showed what is saved. */
  readonly readOnly: boolean
  readonly attached: boolean
  /** What runs was told to go on. */
  readonly detached: boolean
  readonly ephemeral: boolean
  /** Other windows keep the conversation open. */
  readonly hasCompany: boolean
  /** Others took its log away: there is nothing to resume before it is back. */
  readonly isLogGone: boolean
}

/** The line that says how to come back; null when nothing is kept. */
export function farewell(leaving: Leaving): string | null {
  const { shortId, state, readOnly, attached, detached, ephemeral, hasCompany } = leaving
  if (ephemeral || state.core.seq === 0) return null
  if (readOnly) return attached ? `To watch again: parley attach --read-only ${shortId}` : null
  if (leaving.isLogGone) return `Once its log is back: parley resume ${shortId}`
  const activity = activityOf(state)
  if (detached) return `${goingOn[activity]}To come back: parley attach ${shortId}`
  const hint = activity === 'runs' && !hasCompany ? ' (the turn that ran is stopped; /detach lets one go on)' : ''
  return `To go on: parley resume ${shortId}${hint}`
}

type Activity = 'runs' | 'asks' | 'rests'

const goingOn: Readonly<Record<Activity, string>> = {
  runs: 'It goes on without you. ',
  asks: 'Its question waits for you. ',
  rests: '',
}

function activityOf({ core: { turn, approvals } }: ConversationState): Activity {
  if (turn === null || turn.parked) return 'rests'
  return Object.values(approvals).some(({ state }) => state === 'pending') ? 'asks' : 'runs'
}
