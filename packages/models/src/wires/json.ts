import { isRecord } from '@parley/text'
import { foldGrowingLists } from '../port/growing-list.ts'
import type { ModelEntry } from '../port/model-client.ts'
import type { RequestBody } from '../port/wire.ts'

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

/**
 * Creates a function that returns entries as the elements of a JSON array, in pieces. What earlier requests had of a
 * conversation is neither serialised nor encoded again.
 */
export function createEntryWriter(write: WriteEntry): (entries: readonly ModelEntry[]) => RequestBody {
  const written = foldGrowingLists<ModelEntry, GrowingBytes>(createGrowingBytes, (bytes, entry, entries) => {
    const text = write(entry, entries)
    if (text !== '') bytes.add(bytes.isEmpty ? text : `,${text}`)
  })
  return (entries) => written(entries).pieces()
}

/** UTF-8 that grows at its end. */
interface GrowingBytes {
  readonly isEmpty: boolean
  add(text: string): void
  pieces(): RequestBody
}

/** Each piece is at least twice as long as the next one: there are few then, and no byte is copied often. */
function createGrowingBytes(): GrowingBytes {
  const pieces: Buffer[] = []
  let fresh = ''
  function join(): void {
    const [before, last] = pieces.slice(-2)
    if (before === undefined || last === undefined || before.length >= 2 * last.length) return
    pieces.splice(-2, 2, Buffer.concat([before, last]))
    join()
  }
  return {
    get isEmpty() {
      return pieces.length === 0 && fresh === ''
    },
    add(text) {
      fresh += text
    },
    pieces() {
      if (fresh !== '') pieces.push(Buffer.from(fresh))
      fresh = ''
      join()
      return [...pieces]
    },
  }
}

/** Returns a body that is made anew for each request. */
export function bodyOf(text: string): RequestBody {
  return [Buffer.from(text)]
}

/** Returns a JSON array without its brackets. */
export function writeElements(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(',')
}

/** Returns a function that makes a value on first use: the first delta must not wait for all schemas. */
export function lazily<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
