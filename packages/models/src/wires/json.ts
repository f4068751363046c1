import type { ModelEntry } from '../port/model-client.ts'

export interface JsonRecord {
  readonly [key: string]: unknown
}

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object a text holds, or undefined when it is not JSON or not an object. */
export function parseRecord(text: string): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

export function stringAt(record: JsonRecord, key: string): string | undefined {
  const value = record[key]
  return typeof value === 'string' ? value : undefined
}

export function numberAt(record: JsonRecord, key: string): number | undefined {
  const value = record[key]
  return typeof value === 'number' ? value : undefined
}

export function recordAt(record: JsonRecord, key: string): JsonRecord | undefined {
  const value = record[key]
  return isRecord(value) ? value : undefined
}

/** JSON of zero or more array elements, comma-separated. */
type WriteEntry = (entry: ModelEntry) => string

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
