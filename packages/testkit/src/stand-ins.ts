export type StandIns = {
  /** Stand-in → the text it replaces, such as `{ $WORK: workspace.path }`. A longer text goes before a shorter one. */
  readonly places?: Readonly<Record<string, string>>
  /** Further replacements in texts, for what only one session has. */
  readonly texts?: readonly (readonly [pattern: RegExp, standIn: string])[]
  /** Further keys whose value differs from run to run; it becomes `<key>`. */
  readonly keys?: readonly string[]
}

/** Keys whose value differs from run to run, whatever it looks like. */
const varyingKeys = ['crc', 'pid', 'build', 'digest', 'durationMs', 'duration_ms', 'uptimeMs', 'rssBytes']

/** UUIDs, the ids of this program, and hashes: each is numbered where it first appears, so that references stay readable. */
const identity =
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[a-z]{1,4}-[0-9a-f]{12}\b|\b[0-9a-f]{64}\b/g

const always: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)/g, '<time>'],
  [/\b(127\.0\.0\.1|localhost|\[::1\]):\d{2,5}\b/g, '$1:<port>'],
]

/** A replacement for values of any shape. One of it serves a whole session: the same id becomes the same stand-in. */
export function createStandIns({ places = {}, texts = [], keys = [] }: StandIns): (value: unknown) => unknown {
  const named = Object.entries(places).sort(([, one], [, other]) => other.length - one.length)
  const varying = new Set([...varyingKeys, ...keys])
  const known = new Map<string, string>()

  function textOf(text: string): string {
    const placed = named.reduce((so, [standIn, place]) => so.replaceAll(place, () => standIn), text)
    const numbered = placed.replace(identity, standInFor)
    return [...texts, ...always].reduce(
      (so, [pattern, standIn]) => so.replace(pattern, standIn),
      withShortIds(numbered),
    )
  }

  function standInFor(id: string): string {
    const before = known.get(id)
    if (before !== undefined) return before
    const isHash = id.length === 64
    const earlier = [...known.values()].filter((standIn) => standIn.startsWith('<hash') === isHash).length
    const standIn = `<${isHash ? 'hash' : 'id'}-${earlier + 1}>`
    known.set(id, standIn)
    return standIn
  }

  /** People are shown the last 8 digits of a conversation's id. */
  function withShortIds(text: string): string {
    const whole = [...known].filter(([id]) => id.length === 36)
    return whole.reduce(
      (so, [id, standIn]) => so.replaceAll(id.slice(-8), () => `${standIn.slice(0, -1)}-short>`),
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

/** Milliseconds since the epoch, between 2017 and 2065. */
function isTime(value: number): boolean {
  return value > 1.5e12 && value < 3e12
}
