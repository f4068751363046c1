import { leaseMs } from '../connection/layout.ts'

/** Time between renewals of a lease. */
export const beatMs = leaseMs / 3
/** Time between renewals while their answers are slow: a yes that took two seconds is certain for half a second more. */
export const shortBeatMs = 250
/** Age up to which a lease is certain not to have ended: the store counts from a later moment. */
export const certainMs = leaseMs - beatMs / 2
/** Age from which a renewal shows that the store answers slowly, and a time without any answer that it is away. */
const lateMs = 1.5 * beatMs
/** Age from which a renewal shows that the store does not answer, to which more questions are no help. */
const silentMs = leaseMs + beatMs

/** State of a lease, by the renewals that the store has answered. */
export interface Renewals {
  /** Runs a renewal. Rejects with its error. */
  run(put: () => Promise<unknown>): Promise<void>
  /** Time since the latest answered renewal was sent, in ms: the store counts from then or later. */
  readonly ageMs: number
  /** Number of times that the lease may have ended; null while it may have ended just now. */
  readonly lapses: number | null
  /** Time since the last answer, in ms; null while they come. */
  readonly awayMs: number | null
}

export function createRenewals(): Renewals {
  let renewed = momentNow()
  let answered = renewed
  let lapses = 0
  const isCertain = () => msSince(renewed) <= certainMs
  return {
    async run(put) {
      const sent = momentNow()
      await put()
      answered = momentNow()
      if (!isCertain()) lapses += 1
      if (sent.steadyMs > renewed.steadyMs) renewed = sent
    },
    get ageMs() {
      return msSince(renewed)
    },
    get lapses() {
      return isCertain() ? lapses : null
    },
    get awayMs() {
      const awayMs = msSince(answered)
      return awayMs > lateMs ? awayMs : null
    },
  }
}

/**
 * Tells if a lease is to be renewed that was renewed some time ago, and whose last answered renewal has an age. While
 * answers are late they are asked for more often: else each comes when the one before is no longer certain.
 */
export function isRenewalDue(sinceMs: number, ageMs: number): boolean {
  const isLate = ageMs > lateMs && ageMs <= silentMs
  // Half a look early, since a timer is never exact.
  return sinceMs >= (isLate ? shortBeatMs : beatMs) - shortBeatMs / 2
}

/** Moment by both clocks of a machine: one stops while it sleeps, the other can be set. */
export interface Moment {
  readonly steadyMs: number
  readonly wallMs: number
}

export function momentNow(): Moment {
  return { steadyMs: performance.now(), wallMs: Date.now() }
}

/** Returns the longer of the times that the clocks say: too long costs a question to the store, too short would be wrong. */
export function msSince({ steadyMs, wallMs }: Moment): number {
  return Math.max(performance.now() - steadyMs, Date.now() - wallMs)
}
