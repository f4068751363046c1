import { editDistance } from '@parley/text'
/** What a person typed, looked up among conversation ids. */
export type FoundId =
  | { readonly kind: 'one'; readonly id: string }
  | { readonly kind: 'many'; readonly ids: readonly string[] }
  | { readonly kind: 'none'; readonly nearest: readonly string[] }

const NEAREST = 3
/** Twice what an id has: comparing costs the product of both lengths, and nothing longer can be near. */
const comparableDigits = 64
/** Of the short form that people see: the end, since ids that are made one after the other begin alike. */
const shownDigits = 8

/** A whole id, or a unique beginning or end of one, or a beginning of its short form; capitals and dashes do not matter. */
export function findId(ids: readonly string[], typed: string): FoundId {
  const wanted = digitsOf(typed)
  if (wanted === '') return { kind: 'none', nearest: [] }
  const matching = ids.filter((id) => {
    const digits = digitsOf(id)
    return [digits, digits.slice(-shownDigits)].some((start) => start.startsWith(wanted)) || digits.endsWith(wanted)
  })
  const [id] = matching
  if (id === undefined) return { kind: 'none', nearest: nearestIds(ids, wanted) }
  return matching.length === 1 ? { kind: 'one', id } : { kind: 'many', ids: matching }
}

/** Those that have it anywhere. */
export function idsWith(ids: readonly string[], typed: string): readonly string[] {
  const wanted = digitsOf(typed)
  return wanted === '' ? [] : ids.filter((id) => digitsOf(id).includes(wanted))
}

function digitsOf(text: string): string {
  return text.trim().toLowerCase().replaceAll('-', '')
}

/** Those whose beginning or end is fewest edits away, if no more than half of it is wrong. */
function nearestIds(ids: readonly string[], wanted: string): readonly string[] {
  if (wanted.length > comparableDigits) return []
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
