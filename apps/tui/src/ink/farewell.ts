import type { ConversationState, ConversationSummary } from '@parley/protocol'

export interface Leaving {
  readonly summary: Pick<ConversationSummary, 'shortId' | 'readOnly'>
  readonly state: ConversationState
  /** This window only watched. */
  readonly readOnly: boolean
  /** What runs was told to go on. */
  readonly detached: boolean
  readonly ephemeral: boolean
  /** Other windows keep the conversation open. */
  readonly hasCompany: boolean
}

/** The line that says how to come back; null when nothing is kept. */
export function farewell({ summary, state, readOnly, detached, ephemeral, hasCompany }: Leaving): string | null {
  const { shortId } = summary
  if (ephemeral || summary.readOnly || state.core.seq === 0) return null
  if (readOnly) return `To watch again: parley attach --read-only ${shortId}`
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
