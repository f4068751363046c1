import type { ConversationState, Failure, Turn } from '@parley/protocol'
import { shownLine, shownName } from '../text/control-characters.ts'

/** Describes how `/repair` goes on after the provider refused the request. */
export function repairWords({ seqs, what }: NonNullable<Failure['refused']>): string {
  return seqs.length === 0
    ? 'leaves out the newest half of the conversation and goes on'
    : `leaves out ${shownName(what)} and goes on`
}

/** Returns which try comes, of how many where that is known. */
export function tryWords(attempt: number, attempts: number | undefined): string {
  return attempts === undefined ? `try ${attempt}` : `try ${attempt} of ${attempts}`
}

/** Returns the address that could not be reached and the reason, without a remedy. */
export function networkWords({ message, fault = message }: Failure): string {
  return withoutStop(fault)
}

/** Codes of faults of the provider itself. */
const providerFaults: ReadonlySet<string> = new Set(['overloaded', 'rateLimited', 'providerError'])

const cut: ReadonlySet<string> = new Set([
  'unreachable',
  'connectionReset',
  'connectTimeout',
  'streamCut',
  'idleTimeout',
])

/** Returns the reason for the next attempt, without the provider's own words. */
export function failureWords({ code, message, fault = message, status }: Failure): string {
  if (cut.has(code)) return 'connection lost'
  if (!providerFaults.has(code)) return withoutStop(message)
  return `${withoutStop(fault)}${status === undefined ? '' : ` (${status})`}`
}

function withoutStop(message: string): string {
  return shownName(message).replace(/\.?\s*$/, '')
}

/** Returns which hook a turn waits for, and for how long by now. */
export function hookWords({ name, startedAt }: NonNullable<Turn['hook']>, nowMs: number): string {
  return `hook for ${elapsed(Math.max(0, Math.floor((nowMs - startedAt) / 1_000)))}: ${shownLine(name)}`
}

/** Returns whole seconds as text: `12 s`, `3 min 05 s`. */
export function elapsed(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`
}

/**
 * Returns the parts of the request that the provider refused in the last turn; null while a turn runs, or without a
 * refusal.
 */
export function refusedNow(state: ConversationState | null): NonNullable<Failure['refused']> | null {
  if (state === null || state.core.turn !== null) return null
  return state.core.lastTurn?.failure?.refused ?? null
}

/** Returns true if messages are held back after an interrupt until Enter sends them. */
export function isInboxPaused(state: ConversationState | null): boolean {
  return state !== null && state.core.turn === null && state.core.inboxPaused && state.core.inbox.length > 0
}
