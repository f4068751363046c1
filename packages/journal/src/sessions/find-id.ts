import { editDistance } from '@parley/text'

/** Result of looking up typed text among conversation ids; `isWhole` for an id given whole or in its short form. */
export type FoundId =
  | { readonly kind: 'one'; readonly id: string; readonly isWhole: boolean }
  | { readonly kind: 'many'; readonly ids: readonly string[] }
  | { readonly kind: 'none'; readonly nearest: readonly string[] }

const nearestCount = 3
/** Twice the digits of an id: comparing costs the product of both lengths, and longer text is never near. */
const comparableDigits = 64
/** Digits of the short form: the end of an id, since consecutive ids begin alike. */
const shownDigits = 8

/** Finds ids by their whole, beginning or end, or the beginning of their short form, ignoring case and dashes. */
export function findId(ids: readonly string[], typed: string): FoundId {
  const wanted = digitsOf(typed)
  if (wanted === '') return { kind: 'none', nearest: [] }
  const matching = ids.filter((id) => {
    const digits = digitsOf(id)
    return [digits, digits.slice(-shownDigits)].some((start) => start.startsWith(wanted)) || digits.endsWith(wanted)
  })
  const [id] = matching
  if (id === undefined) return { kind: 'none', nearest: nearestIds(ids, wanted) }
  if (matching.length > 1) return { kind: 'many', ids: matching }
  const digits = digitsOf(id)
  return { kind: 'one', id, isWhole: wanted === digits || wanted === digits.slice(-shownDigits) }
}

/** Returns the ids that contain the typed text anywhere. */
export function idsWith(ids: readonly string[], typed: string): readonly string[] {
  const wanted = digitsOf(typed)
  return wanted === '' ? [] : ids.filter((id) => digitsOf(id).includes(wanted))
}

function digitsOf(text: string): string {
  return text.trim().toLowerCase().replaceAll('-', '')
}

/** Returns the ids with the fewest edits at their beginning or end, at most half of the typed digits. */
function nearestIds(ids: readonly string[], wanted: string): readonly string[] {
  if (wanted.length > comparableDigits) return []
  return ids
    .map((id) => ({ id, edits: fewestEdits(digitsOf(id), wanted) }))
    .filter(({ edits }) => edits <= wanted.length / 2)
    .sort((a, b) => a.edits - b.edits)
    .slice(0, nearestCount)
    .map(({ id }) => id)
}

function fewestEdits(digits: string, wanted: string): number {
  const { length } = wanted
  return Math.min(editDistance(digits.slice(0, length), wanted), editDistance(digits.slice(-length), wanted))
}
