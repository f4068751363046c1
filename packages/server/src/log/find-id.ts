/** What a person typed, looked up among conversation ids. */
export type FoundId =
  | { readonly kind: 'one'; readonly id: string }
  | { readonly kind: 'many'; readonly ids: readonly string[] }
  | { readonly kind: 'none'; readonly nearest: readonly string[] }

/** The last ones: the first digits of a UUIDv7 are the clock, alike for all ids of a day. */
const SHORT_ID_DIGITS = 8
const NEAREST = 3

export function shortId(id: string): string {
  return id.slice(-SHORT_ID_DIGITS)
}

/** A whole id, or a unique beginning or end of one; capitals and dashes do not matter. */
export function findId(ids: readonly string[], typed: string): FoundId {
  const wanted = digitsOf(typed)
  if (wanted === '') return { kind: 'none', nearest: [] }
  const matching = ids.filter((id) => {
    const digits = digitsOf(id)
    return digits.startsWith(wanted) || digits.endsWith(wanted)
  })
  const [id] = matching
  if (id === undefined) return { kind: 'none', nearest: nearestIds(ids, wanted) }
  return matching.length === 1 ? { kind: 'one', id } : { kind: 'many', ids: matching }
}

function digitsOf(text: string): string {
  return text.trim().toLowerCase().replaceAll('-', '')
}

/** Those whose beginning or end is fewest single-letter edits away, if no more than half of it is wrong. */
function nearestIds(ids: readonly string[], wanted: string): readonly string[] {
  return ids
    .map((id) => ({ id, edits: fewestEdits(digitsOf(id), wanted) }))
    .filter(({ edits }) => edits <= wanted.length / 2)
    .sort((a, b) => a.edits - b.edits)
    .slice(0, NEAREST)
    .map(({ id }) => id)
}

function fewestEdits(digits: string, wanted: string): number {
  const { length } = wanted
  return Math.min(editDistance(digits.slice(0, length), wanted), editDistance(digits.slice(-length), wanted))
}

/** Levenshtein, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
