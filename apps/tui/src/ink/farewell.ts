import type { Session } from './session.ts'

export interface Leaving {
  readonly session: Session
  /** What runs was told to go on. */
  readonly detached: boolean
  readonly ephemeral: boolean
  /** Other windows keep the conversation open. */
  readonly hasCompany: boolean
}

/** The line that says how to come back; null when nothing is kept. */
export function farewell({ session, detached, ephemeral, hasCompany }: Leaving): string | null {
  const { shortId } = session.summary
  const { seq, turn } = session.store.state.core
  if (ephemeral || session.summary.readOnly || seq === 0) return null
  if (session.readOnly) return `To watch again: parley attach --read-only ${shortId}`
  const runs = turn !== null && !turn.parked
  if (detached) return `${runs ? 'It goes on without you. ' : ''}To come back: parley attach ${shortId}`
  const isStopped = runs && !hasCompany && Object.keys(session.store.state.core.approvals).length === 0
  const hint = isStopped ? ' (the turn that ran is stopped; /detach lets one go on)' : ''
  return `To go on: parley resume ${shortId}${hint}`
}
