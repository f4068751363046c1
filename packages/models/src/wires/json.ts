import { isRecord } from '@parley/text'
import type { ModelEntry } from '../port/model-client.ts'

export interface JsonRecord {
  readonly [key: string]: unknown
}

/** Parses a JSON object; undefined for text that is not JSON or not an object. */
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

/**
 * Creates a memory of what entries, or their images, are written as. Each is written once in its life, so that sending
 * 2,000 of them again costs a join. It is keyed by identity, since entries are immutable.
 */
export function createWrittenEntries<Written extends object | string, Entry extends object = ModelEntry>() {
  const written = new WeakMap<Entry, Written>()
  return (entry: Entry, write: () => Written): Written => {
    const known = written.get(entry) ?? write()
    written.set(entry, known)
    return known
  }
}

/** Returns an entry, one of the given ones, as zero or more elements of a JSON array, separated by commas. */
type WriteEntry = (entry: ModelEntry, entries: readonly ModelEntry[]) => string

/** Creates a function that serialises entries, each once, and joins them. */
export function createEntryJoiner(write: WriteEntry): (entries: readonly ModelEntry[]) => string {
  const writtenOnce = createWrittenEntries<string>()
  return (entries) =>
    entries
      .map((entry) => writtenOnce(entry, () => write(entry, entries)))
      .filter(isPresent)
      .join(',')
}

/** Returns a JSON array without its brackets. */
export function writeElements(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(',')
}

function isPresent(text: string): boolean {
  return text !== ''
}

/** Returns a function that makes a value on first use: the first delta must not wait for all schemas. */
export function lazily<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
