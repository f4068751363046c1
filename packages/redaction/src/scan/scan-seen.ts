import { inText } from './haystack.ts'
import { contextLength, type SecretMatch } from './pattern.ts'
import type { PatternIndex } from './pattern-index.ts'
import { scan } from './scan.ts'
import type { TextForm } from './unseen.ts'
import { type View, viewsOf, whole } from './views.ts'

/** State of a scan in one view, between two pieces of a text. */
export interface Lane {
  /** Preceding text, which decides whether a secret may begin after it. */
  readonly context: string
  /** True when a secret ends at the end of the context. */
  readonly afterSecret: boolean
}

export const firstLane: Lane = { context: '', afterSecret: false }

interface SeenText {
  readonly text: string
  readonly form: TextForm
  /** True when nothing follows. */
  readonly isWhole: boolean
  /** Lanes of the text itself, of its letters and of the screen; a missing lane equals the one before. */
  readonly lanes: readonly Lane[]
}

export interface SeenScan {
  readonly found: readonly SecretMatch[]
  /** Index up to which the text is decided in every view. */
  readonly settled: number
  /** Lanes from there on. */
  readonly lanes: readonly Lane[]
}

/**
 * Finds the secrets of a text with invisible parts, in the text itself and in the text that a reader sees. Ranges refer
 * to the text itself; overlapping ones are joined. A backspace only affects text that was not settled.
 */
export function scanSeen(index: PatternIndex, { text, form, isWhole, lanes }: SeenText): SeenScan {
  const { views: seen, limit } = viewsOf(text, form, isWhole)
  const views = Array.from({ length: Math.max(lanes.length, seen.length + 1) }, (_, nth) =>
    nth === 0 ? whole(text) : (seen[nth - 1] ?? seen.at(-1) ?? whole(text)),
  )
  const scans = views.map((view, nth) => scanView(index, view, { lane: lanes[nth] ?? lastOf(lanes), isWhole }))
  const found = joined(scans.flatMap((one) => one.found))
  const decided = scans.reduce((least, { settled }) => Math.min(least, settled), limit)
  const settled = isWhole ? text.length : settledBefore(decided, found, views)
  return {
    found: found.filter(({ end }) => end <= settled),
    settled,
    lanes: distinct(scans.map(({ after }) => after(settled))),
  }
}

/** Table for texts without invisible parts. It covers all characters, because a look beyond its end would be slow. */
const none = new Uint8Array(65536)

interface ViewScan {
  /** Secrets by their ranges in the text itself. */
  readonly found: readonly SecretMatch[]
  readonly settled: number
  after(place: number): Lane
}

function scanView(index: PatternIndex, view: View, { lane, isWhole }: { lane: Lane; isWhole: boolean }): ViewScan {
  const { context, afterSecret } = lane
  const from = context.length
  const hay = inText(context + view.text, { marked: index.marked, unseen: none })
  const { found, settled } = scan(index, hay, { from, whole: isWhole, afterSecret })
  return {
    found: found.map(({ begin, start, end, secret }) => ({
      begin: view.placeOf(begin - from),
      start: view.placeOf(start - from),
      end: view.placeOf(end - 1 - from) + 1,
      secret,
    })),
    settled: view.placeOf(settled - from),
    after(place) {
      const count = view.countBefore(place)
      if (count === 0) return lane
      const to = from + count
      return {
        context: hay.slice(Math.max(0, to - contextLength), to),
        afterSecret: found.some(({ end }) => end === to),
      }
    },
  }
}

/** Joins overlapping secrets; the longest gives the kind. */
function joined(found: readonly SecretMatch[]): readonly SecretMatch[] {
  const groups: { found: SecretMatch; longest: SecretMatch }[] = []
  const secrets = found.filter(({ secret }) => secret !== null)
  for (const one of secrets.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = groups.at(-1)
    if (last === undefined || one.start >= last.found.end) groups.push({ found: one, longest: one })
    else {
      if (one.end - one.start > last.longest.end - last.longest.start) last.longest = one
      last.found = {
        ...last.longest,
        begin: Math.min(last.found.begin, one.begin),
        start: last.found.start,
        end: Math.max(last.found.end, one.end),
      }
    }
  }
  return groups.map((group) => group.found)
}

/** Returns the last index up to `decided` outside of matches and of the invisible sequences of each view. */
function settledBefore(decided: number, found: readonly SecretMatch[], views: readonly View[]): number {
  let settled = decided
  for (;;) {
    const around = found.find(({ begin, end }) => begin < settled && settled < end)
    const from = around?.begin ?? settled
    const lower = views.reduce((least, view) => Math.min(least, view.floor(from)), from)
    if (lower === settled) return settled
    settled = lower
  }
}

/** Drops the last lanes that equal the one before. */
function distinct(lanes: readonly Lane[]): readonly Lane[] {
  const isSame = (one: Lane | undefined, other: Lane | undefined) =>
    one?.context === other?.context && one?.afterSecret === other?.afterSecret
  const last = lanes.findLastIndex((lane, nth) => nth === 0 || !isSame(lane, lanes[nth - 1]))
  return lanes.slice(0, last + 1)
}

function lastOf(lanes: readonly Lane[]): Lane {
  return lanes.at(-1) ?? firstLane
}
