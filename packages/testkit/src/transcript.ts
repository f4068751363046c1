import { AssertionError } from 'node:assert'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createStandIns, type StandIns } from './stand-ins.ts'

/**
 * One line of a session: `>` client to server, `<` server to client, `!` stderr, `f` a line of a file, `#` a remark of
 * the recorder. `raw` is text that is not JSON.
 */
export type TranscriptEntry =
  | { readonly dir: Direction; readonly msg: unknown }
  | { readonly dir: Direction; readonly raw: string }
  | { readonly dir: '#'; readonly note: string; readonly data?: unknown }

type Direction = '>' | '<' | '!' | 'f'

export type TranscriptRecorder = {
  readonly entries: readonly TranscriptEntry[]
  /** A line as it crossed: JSON is kept as a value, anything else as text. Empty lines are left out. */
  line(dir: Direction, text: string): void
  /** A message that is a value already. */
  message(dir: Direction, msg: unknown): void
  remark(note: string, data?: unknown): void
}

export function recordTranscript(): TranscriptRecorder {
  const entries: TranscriptEntry[] = []
  return {
    entries,
    line(dir, text) {
      if (text.trim() !== '') entries.push(entryOf(dir, text))
    },
    message: (dir, msg) => void entries.push({ dir, msg }),
    remark: (note, data) => void entries.push({ dir: '#', note, ...(data === undefined ? {} : { data }) }),
  }
}

function entryOf(dir: Direction, text: string): TranscriptEntry {
  try {
    return { dir, msg: JSON.parse(text) }
  } catch {
    return { dir, raw: text }
  }
}

/** The file's lines: each entry with what differs from run to run replaced by what stands for it. */
export function transcriptLines(entries: readonly TranscriptEntry[], standIns: StandIns = {}): string[] {
  const replaced = createStandIns(standIns)
  return entries.map((entry) => JSON.stringify(replaced(entry)))
}

export const updateVariable = 'PARLEY_UPDATE_TRANSCRIPTS'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * Compares a session with the one that the documentation shows (`path` from the repository's root). With
 * `PARLEY_UPDATE_TRANSCRIPTS=1` it is written instead.
 */
export function expectTranscript(path: string, entries: readonly TranscriptEntry[], standIns: StandIns = {}): void {
  const actual = `${transcriptLines(entries, standIns).join('\n')}\n`
  const file = join(root, path)
  if (process.env[updateVariable] === '1') {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, actual)
    return
  }
  const expected = existsSync(file) ? readFileSync(file, 'utf8') : ''
  if (actual === expected) return
  const message = `The session is not the one in ${path} (line ${firstDifference(actual, expected)}). If it is meant to differ, run this test with ${updateVariable}=1 and read the change.`
  throw new AssertionError({ message, actual, expected, operator: 'strictEqual' })
}

function firstDifference(actual: string, expected: string): number {
  const wanted = expected.split('\n')
  return actual.split('\n').findIndex((line, at) => line !== wanted[at]) + 1
}
