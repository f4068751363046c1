import { isRecord } from '@parley/text'
import { type JsonRecord, stringAt } from './json.ts'

/** Longest text that is kept of a provider's reasons for stopping. */
const maxChars = 1_000

/** Returns a provider's reasons for stopping as one text; an empty record without reasons. */
export function stopWords(words: readonly (string | undefined)[]): { readonly why?: string } {
  const said = [...new Set(words.map((word) => word?.trim() ?? '').filter((word) => word !== ''))]
  const why = said
    .map((word) => (/[.!?]$/.test(word) ? word : `${word}.`))
    .join(' ')
    .slice(0, maxChars)
    .toWellFormed()
  return why === '' ? {} : { why }
}

/** Returns the names of the filters that are marked as triggered, in a record or list. */
export function filtersIn(value: unknown): string | undefined {
  const names = named(value)
  return names.length === 0 ? undefined : names.join(', ')
}

function named(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.filter(isRecord).flatMap(inRecord)
  return isRecord(value)
    ? Object.entries(value).flatMap(([name, entry]) => (isRecord(entry) && stopped(entry) ? [name] : []))
    : []
}

function inRecord(entry: JsonRecord): readonly string[] {
  const { category, content_filter_results: results, content_filter_result: result } = entry
  if (typeof category === 'string') return stopped(entry) ? [category] : []
  return named(results ?? result)
}

function stopped(entry: JsonRecord): boolean {
  return entry['filtered'] === true || entry['blocked'] === true || stringAt(entry, 'probability') === 'HIGH'
}
