import { readdirSync, readFileSync } from 'node:fs'
import type { Envelope } from '@parley/protocol'

/**
 * Sentence of the reducer's specification. Events are numbered from 1 on, `at` is the number in seconds; an entry
 * with a `seq` says its own number, one with `times` stands for so many events, `#` in its texts being their count.
 */
export interface ReduceFixture {
  readonly name: string
  readonly says: string
  readonly forkedFrom?: { readonly id: string; readonly seq: number }
  /** Files of `fixtures/given` whose events come before. */
  readonly given?: readonly string[]
  readonly events: readonly FixtureEntry[]
  /** Part of the state afterwards: only the keys it names, arrays whole, `{}` is empty. */
  readonly expect?: unknown
  /** JSON pointer → exact value; `length` of an array counts it. */
  readonly at?: Readonly<Record<string, unknown>>
  /** JSON pointers: what is not below one of them is as it was after `given`. */
  readonly changesOnly?: readonly string[]
}

type FixtureEvent = Readonly<Record<string, unknown>>
type FixtureEntry = FixtureEvent | { readonly seq: number; readonly event: FixtureEvent }

const folder = new URL('fixtures/', import.meta.url)

export function readFixtures(): readonly ReduceFixture[] {
  const files = readdirSync(new URL('reduce/', folder)).toSorted()
  return files.map((file) => ({ name: file.replace(/\.json$/, ''), ...readJson(`reduce/${file}`) }))
}

/** The events before, and those the sentence is about. */
export function envelopesOf({ given = [], events }: ReduceFixture): { before: Envelope[]; events: Envelope[] } {
  const before = givenEvents(given)
  return { before, events: numbered(events, before.length) }
}

export function givenEvents(names: readonly string[]): Envelope[] {
  const events = names.flatMap((name): FixtureEntry[] => readJson(`given/${name}.json`))
  return numbered(events, 0)
}

function numbered(entries: readonly FixtureEntry[], lastSeq: number): Envelope[] {
  const all = entries.flatMap(repeated)
  let last = lastSeq
  return all.map((entry) => {
    const isNumbered = typeof entry['seq'] === 'number'
    const seq = isNumbered ? Number(entry['seq']) : last + 1
    last = seq
    const event: unknown = isNumbered ? entry['event'] : entry
    return { conversationId: 'c0ffee', seq, at: seq * 1000, event } as Envelope // a fixture may hold what no schema knows
  })
}

function repeated(entry: FixtureEntry): FixtureEvent[] {
  const { times, event } = { times: undefined, event: undefined, ...entry }
  if (typeof times !== 'number') return [entry]
  const text = JSON.stringify(event)
  return Array.from({ length: times }, (_, index) => JSON.parse(text.replaceAll('#', String(index + 1))))
}

function readJson(path: string) {
  return JSON.parse(readFileSync(new URL(path, folder), 'utf8'))
}
