import type { ModelEntry } from './port.ts'

/** JSON of zero or more array elements, comma-separated. */
export type WriteEntry = (entry: ModelEntry) => string

/**
 * Joins the serialised entries. Each is serialised once in its life, so that sending 2,000 of them again
 * costs a join; entries are immutable, so identity is a sound key.
 */
export function createEntryJoiner(write: WriteEntry): (entries: readonly ModelEntry[]) => string {
  const written = new WeakMap<ModelEntry, string>()
  const textOf = (entry: ModelEntry): string => {
    const known = written.get(entry)
    if (known !== undefined) return known
    const text = write(entry)
    written.set(entry, text)
    return text
  }
  return (entries) => entries.map(textOf).filter(isPresent).join(',')
}

/** The elements without the brackets. */
export function writeElements(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(',')
}

function isPresent(text: string): boolean {
  return text !== ''
}
