import type { LoggedEnvelope } from '../line/line.ts'

/** Event type that reports losses, and how to read the ranges from one; the journal knows no events. */
export interface LossReports {
  readonly type: string
  ranges(event: LoggedEnvelope['event']): readonly SeqRange[]
}

/** A run of unreadable lines, or of missing numbers; `toSeq < fromSeq` when no event is missing. */
export interface Damage {
  readonly fromSeq: number
  readonly toSeq: number
  readonly byteOffset: number
  readonly reason: DamageReason
}

/** `order`: the seq occurs earlier in the log; `missing`: numbers are skipped; `torn`: the last write was cut; `event`: no event that the program knows how to read. */
type DamageReason = 'checksum' | 'syntax' | 'event' | 'tooLong' | 'order' | 'missing' | 'torn' | 'header'

export interface SeqRange {
  readonly fromSeq: number
  readonly toSeq: number
}

/** Sums up the lines read so far; filled in file order. */
export interface DamageTally {
  /** Seq of the last good line. */
  last: number
  /** Highest seq in use: bad lines after `last` may have been delivered with theirs. */
  highest: number
  run: { readonly byteOffset: number; readonly reason: DamageReason } | null
  readonly damage: Damage[]
}

export function newTally(): DamageTally {
  return { last: 0, highest: 0, run: null, damage: [] }
}

/** Counts a good line. Returns false, and counts it as bad, when its seq occurs earlier in the log. */
export function tallyGood(tally: DamageTally, seq: number, byteOffset: number): boolean {
  if (seq <= tally.last) {
    tally.run ??= { byteOffset, reason: 'order' }
    return false
  }
  if (tally.run !== null || seq > tally.last + 1) {
    const { byteOffset: at, reason } = tally.run ?? { byteOffset, reason: 'missing' }
    tally.damage.push({ fromSeq: tally.last + 1, toSeq: seq - 1, byteOffset: at, reason })
  }
  tally.run = null
  tally.last = seq
  // Bad lines before this one had lower numbers, whatever they claim.
  tally.highest = seq
  return true
}

/** Counts a bad line as part of the current run of damage. */
export function tallyBad(
  tally: DamageTally,
  line: { byteOffset: number; reason: DamageReason; seqHint: number | null },
): void {
  tally.run ??= { byteOffset: line.byteOffset, reason: line.reason }
  if (line.reason !== 'header') tally.highest = highestAfterBad(tally.highest, line.seqHint)
}

/** Notes a good line that holds no event as damage; its number stays in use. */
export function tallyForeign(tally: DamageTally, seq: number, byteOffset: number): void {
  tally.damage.push({ fromSeq: seq, toSeq: seq, byteOffset, reason: 'event' })
}

/** Ends the run of damage, if any, after the last line. */
export function closeTally(tally: DamageTally): void {
  if (tally.run === null) return
  tally.damage.push({ fromSeq: tally.last + 1, toSeq: tally.highest, ...tally.run })
  tally.run = null
}

/** Returns the lost ranges with events in them that no earlier report names. */
export function unnamedLosses(damage: readonly Damage[], named: readonly SeqRange[]): readonly SeqRange[] {
  return damage
    .filter(({ fromSeq, toSeq }) => fromSeq <= toSeq)
    .filter((loss) => !named.some((range) => range.fromSeq <= loss.fromSeq && loss.toSeq <= range.toSeq))
    .map(({ fromSeq, toSeq }) => ({ fromSeq, toSeq }))
}

/** Largest jump a damaged line's number may make: a flipped digit must not use up all numbers. */
const HINT_REACH = 1_000_000

/** Returns the highest seq in use after a bad line: the seq it claims if that is plausible, else one more. */
function highestAfterBad(highest: number, hint: number | null): number {
  return hint !== null && hint > highest && hint <= highest + HINT_REACH ? hint : highest + 1
}
