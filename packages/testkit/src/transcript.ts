import { AssertionError } from 'node:assert'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Line of a session: `>` client to server, `<` server to client, `!` stderr, `f` a line of a file, `#` a remark of
 * the recorder. `raw` holds text that is not JSON.
 */
export type TranscriptEntry =
  | { readonly dir: Direction; readonly msg: unknown }
  | { readonly dir: Direction; readonly raw: string }
  | { readonly dir: '#'; readonly note: string; readonly data?: unknown }

type Direction = '>' | '<' | '!' | 'f'

export type TranscriptRecorder = {
  readonly entries: readonly TranscriptEntry[]
  /** Records a line: JSON as a value, other text as it is. Omits empty lines. */
  line(dir: Direction, text: string): void
  /** Records a message that is already a value. */
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

/** Returns one JSON line per entry, with values that differ from run to run replaced by stand-ins. */
export function transcriptLines(entries: readonly TranscriptEntry[], standIns: StandIns = {}): string[] {
  const replaced = createStandIns(standIns)
  return entries.map((entry) => JSON.stringify(replaced(entry)))
}

const updateVariable = 'PARLEY_UPDATE_TRANSCRIPTS'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * Compares a session with the recorded one (`path` from the repository's root); throws an AssertionError when they
 * differ. Writes the file instead when `PARLEY_UPDATE_TRANSCRIPTS=1` is set.
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

export type StandIns = {
  /** Texts by stand-in, such as `{ $WORK: workspace.path }`. Longer texts are replaced first. */
  readonly places?: Readonly<Record<string, string>>
  /** Further replacements in texts, for one session. */
  readonly texts?: readonly (readonly [pattern: RegExp, standIn: string])[]
  /** Further keys with values to replace by `<key>`. */
  readonly keys?: readonly string[]
}

/** Keys with values that differ from run to run. */
const varyingKeys = ['crc', 'pid', 'build', 'digest', 'durationMs', 'duration_ms', 'uptimeMs', 'rssBytes']

/** Ids and hashes, which are numbered in order of first appearance, so that references stay readable. */
const idPattern =
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[a-z]{1,4}-[0-9a-f]{12}\b|\b[0-9a-f]{64}\b/g

const variableTexts: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)/g, '<time>'],
  [/\b(127\.0\.0\.1|localhost|\[::1\]):\d{2,5}\b/g, '$1:<port>'],
]

/** Returns a function that replaces varying parts of any value. Equal ids get equal stand-ins over all its calls. */
function createStandIns({ places = {}, texts = [], keys = [] }: StandIns): (value: unknown) => unknown {
  const named = Object.entries(places).sort(([, one], [, other]) => other.length - one.length)
  const varying = new Set([...varyingKeys, ...keys])
  const known = new Map<string, string>()

  function textOf(text: string): string {
    const placed = named.reduce((result, [standIn, place]) => result.replaceAll(place, () => standIn), text)
    const numbered = placed.replace(idPattern, standInFor)
    return [...texts, ...variableTexts].reduce(
      (result, [pattern, standIn]) => result.replace(pattern, standIn),
      withShortIds(numbered),
    )
  }

  function standInFor(id: string): string {
    const earlier = known.get(id)
    if (earlier !== undefined) return earlier
    const isHash = id.length === 64
    const count = [...known.values()].filter((standIn) => standIn.startsWith('<hash') === isHash).length
    const standIn = `<${isHash ? 'hash' : 'id'}-${count + 1}>`
    known.set(id, standIn)
    return standIn
  }

  /** Replaces the last 8 digits of known UUIDs, the short form in which the program shows conversations. */
  function withShortIds(text: string): string {
    const whole = [...known].filter(([id]) => id.length === 36)
    return whole.reduce(
      (result, [id, standIn]) => result.replaceAll(id.slice(-8), () => `${standIn.slice(0, -1)}-short>`),
      text,
    )
  }

  function replaced(value: unknown): unknown {
    if (typeof value === 'string') return textOf(value)
    if (typeof value === 'number') return isTime(value) ? '<time>' : value
    if (Array.isArray(value)) return value.map(replaced)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [textOf(key), fieldOf(key, inner)]))
  }

  function fieldOf(key: string, value: unknown): unknown {
    return varying.has(key) && value !== null ? `<${key}>` : replaced(value)
  }

  return replaced
}

/** Checks for milliseconds since the epoch between 2017 and 2065. */
function isTime(value: number): boolean {
  return value > 1.5e12 && value < 3e12
}
