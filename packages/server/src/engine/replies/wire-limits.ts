import type { ConversationState } from '@parley/protocol'

/** JSON bytes of a state and of its core alone: with what carries it, it has to fit in one line of the wire. */
const stateBytes = 24 << 20
const coreBytes = 16 << 20

/** Characters of each text in a core that is too large, tried in this order; an id or the name of a file has fewer. */
const textLengths = [64 * 1024, 8 * 1024, 1024, 256]

/** The state as clients get it: older items, which can be read, are left out where all of them would be too much. */
export function shownState(state: ConversationState): ConversationState {
  const core = shownCore(state.core)
  const window = newestWithin(state.window, jsonBytes, Math.min(replyLimit, stateBytes - jsonBytes(core)))
  return window.length === state.window.length && core === state.core ? state : { core, window }
}

/** The core with its texts cut where it is too large: a log of an earlier version may hold more than is recorded now. */
function shownCore(core: ConversationState['core']): ConversationState['core'] {
  let shown = core
  for (const length of textLengths) {
    if (jsonBytes(shown) <= coreBytes) break
    shown = shortenTexts(core, length)
  }
  return shown
}

/** Bytes; with what carries it, it is less than a line of the wire may have. */
const deliverableBytes = 24 << 20
const shortLength = 64 * 1024

/** Tells if so many bytes of the log can go to a client as they are; all lines written now can. */
export function isDeliverable(sizeBytes: number): boolean {
  return sizeBytes <= deliverableBytes
}

/** A line as it can be sent: one of an earlier version that is longer than clients take has its texts cut. */
export function deliverableLine(line: string): string {
  if (line.length * 3 <= deliverableBytes || isDeliverable(Buffer.byteLength(line))) return line
  const logged: unknown = JSON.parse(line)
  return JSON.stringify(cutTexts(logged))
}

/** Copies what is too long to be sent, with each long text cut to its beginning. */
export function cutTexts<Value>(value: Value): Value {
  return shortenTexts(value, shortLength)
}

/** Bytes of items in one reply, well below what a line of the wire may hold. */
export const replyLimit = 8 << 20

/** The newest that fit in `limitBytes` together, oldest first. */
function newestWithin<Item>(items: readonly Item[], sizeOf: (item: Item) => number, limitBytes: number): Item[] {
  let first = items.length
  for (let bytes = 0; first > 0; first--) {
    const item = items[first - 1]
    bytes += item === undefined ? 0 : sizeOf(item)
    if (bytes > limitBytes) break
  }
  return items.slice(first)
}

/** A copy in which no text is longer than `length` characters but by a sign that it was cut. */
function shortenTexts<Value>(value: Value, length: number): Value {
  return shortened(value, length) as Value // narrowed: only texts change, and stay texts
}

function shortened(value: unknown, length: number): unknown {
  if (typeof value === 'string') return value.length <= length ? value : cut(value, length)
  if (Array.isArray(value)) return value.map((one: unknown) => shortened(one, length))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shortened(one, length)]))
}

function cut(text: string, length: number): string {
  return `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')}… (cut)`
}

/** Bytes of a value in a line of the log or the wire: a zero byte takes six there. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
