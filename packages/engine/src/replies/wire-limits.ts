import type { Line } from '@parley/journal'
import { type ConversationState, limits } from '@parley/protocol'

/** Characters per text in a core that is too large, tried in this order; ids and file names are shorter. */
const textLengths = [64 * 1024, 8 * 1024, 1024, 256]

/** Returns the state as clients get it: older items, which can be read, are left out when it is too large. */
export function shownState(state: ConversationState): ConversationState {
  const core = shownCore(state.core)
  const window = newestWithin(state.window, jsonBytes, Math.min(limits.page, limits.state - jsonBytes(core)))
  return window.length === state.window.length && core === state.core ? state : { core, window }
}

/** Cuts the texts of a core that is too large; earlier versions may have logged more than is recorded now. */
function shownCore(core: ConversationState['core']): ConversationState['core'] {
  let shown = core
  for (const length of textLengths) {
    if (jsonBytes(shown) <= limits.core + limits.coreReserve) break
    shown = shortenTexts(core, length)
  }
  return shown
}

/** Bytes of a line; with its envelope it is shorter than a line of the wire may be. */
const deliverableBytes = limits.state
const shortLength = 64 * 1024

/** Tells if a line of this size can be sent unchanged; every line written now can. */
export function isDeliverable(sizeBytes: number): boolean {
  return sizeBytes <= deliverableBytes
}

/** Returns the text of a line for clients. A line of an earlier version that is longer than they take has its texts cut. */
export function deliverableText({ elidedText: text }: Line): string {
  if (text.length * 3 <= deliverableBytes || isDeliverable(Buffer.byteLength(text))) return text
  const logged: unknown = JSON.parse(text)
  return JSON.stringify(cutTexts(logged))
}

/** Copies a value with each long text cut to its beginning. */
export function cutTexts<Value>(value: Value): Value {
  return shortenTexts(value, shortLength)
}

/** Returns the newest items that fit in `limitBytes` together, oldest first. */
function newestWithin<Item>(items: readonly Item[], sizeOf: (item: Item) => number, limitBytes: number): Item[] {
  let first = items.length
  for (let bytes = 0; first > 0; first--) {
    const item = items[first - 1]
    bytes += item === undefined ? 0 : sizeOf(item)
    if (bytes > limitBytes) break
  }
  return items.slice(first)
}

/** Copies a value with each text cut to `length` characters and a mark. */
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

/** Returns the bytes of a value as JSON; a zero byte takes six. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
