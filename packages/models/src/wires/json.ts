import { isRecord, wellFormedJson } from '@parley/text'

export interface JsonRecord {
  readonly [key: string]: unknown
}

export function stringAt(record: JsonRecord, key: string): string | undefined {
  const value = record[key]
  return typeof value === 'string' ? value : undefined
}

/** Returns a number, also one that a server has put between quotes. */
export function numberAt(record: JsonRecord, key: string): number | undefined {
  const value = record[key]
  if (typeof value === 'string' && /^\d+$/.test(value)) return Number(value)
  return typeof value === 'number' ? value : undefined
}

/** Returns an id, or an empty text. Some servers count their calls and send numbers. */
export function idAt(record: JsonRecord, key: string): string {
  const value = record[key]
  return typeof value === 'number' ? String(value) : (stringAt(record, key) ?? '')
}

export function recordAt(record: JsonRecord, key: string): JsonRecord | undefined {
  const value = record[key]
  return isRecord(value) ? value : undefined
}

/** Returns a JSON array without its brackets. */
export function writeElements(values: readonly unknown[]): string {
  return values.map(wellFormedJson).join(',')
}

/** Joins elements of a JSON array; empty texts are left out. */
export function joinElements(elements: readonly string[]): string {
  return elements.filter((text) => text !== '').join(',')
}

/** Returns a function that makes a value on first use: the first delta must not wait for all schemas. */
export function lazily<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
