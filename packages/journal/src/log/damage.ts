/** A run of lines that could not be read, or of numbers that are not there; `toSeq < fromSeq` when no event is missing. */
export interface Damage {
  readonly fromSeq: number
  readonly toSeq: number
  readonly byteOffset: number
  readonly reason: DamageReason
}

/** `order`: a line whose seq was there before; `missing`: numbers skipped without a trace; `torn`: the last write was cut. */
export type DamageReason = 'checksum' | 'syntax' | 'tooLong' | 'order' | 'missing' | 'torn' | 'header'

export interface SeqRange {
  readonly fromSeq: number
  readonly toSeq: number
}

/** What the lines so far amount to; filled in file order. */
export interface Tally {
  /** Seq of the last good line. */
  last: number
  /** No new event may have this seq or a lower one: bad lines after `last` may have been seen with them. */
  highest: number
  run: { readonly byteOffset: number; readonly reason: DamageReason } | null
  readonly damage: Damage[]
}

export function newTally(): Tally {
  return { last: 0, highest: 0, run: null, damage: [] }
}

/** False: its seq was there before, the line counts as bad. */
export function tallyGood(tally: Tally, seq: number, byteOffset: number): boolean {
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
  // Whatever bad lines before this one claim, theirs were lower.
  tally.highest = seq
  return true
}

export function tallyBad(
  tally: Tally,
  line: { byteOffset: number; reason: DamageReason; seqHint: number | null },
): void {
  tally.run ??= { byteOffset: line.byteOffset, reason: line.reason }
  if (line.reason !== 'header') tally.highest = burnt(tally.highest, line.seqHint)
}

/** After the last line. */
export function closeTally(tally: Tally): void {
  if (tally.run === null) return
  tally.damage.push({ fromSeq: tally.last + 1, toSeq: tally.highest, ...tally.run })
  tally.run = null
}

/** Ranges with events in them that no earlier report names. */
export function unnamedLosses(damage: readonly Damage[], named: readonly SeqRange[]): readonly SeqRange[] {
  return damage
    .filter(({ fromSeq, toSeq }) => fromSeq <= toSeq)
    .filter((loss) => !named.some((range) => range.fromSeq <= loss.fromSeq && loss.toSeq <= range.toSeq))
    .map(({ fromSeq, toSeq }) => ({ fromSeq, toSeq }))
}

/** A flipped digit must not use up the numbers there are. */
const HINT_REACH = 1_000_000

/** A bad line takes at least one number, and the one it claims if that can be true. */
function burnt(highest: number, hint: number | null): number {
  return hint !== null && hint > highest && hint <= highest + HINT_REACH ? hint : highest + 1
}
