import type { CompletedItem, ConversationState } from '@parley/protocol'

/** Finished items of a conversation, oldest first: items in memory, and gaps for items in the log only. */
export type History = readonly HistoryPart[]

type HistoryPart = Stretch | Gap

interface Stretch {
  readonly kind: 'items'
  readonly items: readonly CompletedItem[]
}

/** Items that are not in memory, completed after one seq and before another. */
export interface Gap {
  readonly kind: 'gap'
  readonly after: number
  readonly before: number
}

/** End of a gap from which it is read. */
export type GapEnd = 'upper' | 'lower'

/** Request for a page of `conversation/read`, which gives the newest items before a seq. */
export interface PageRequest {
  readonly gap: Gap
  readonly end: GapEnd
  readonly before: number
  readonly limit: number
}

/** Items read at once from the lower end of a gap, and events from its upper end. */
const pageItems = 200
const pageEvents = 600
/** Items or events that a search reads at once, since each reading goes through the whole log. */
const searchedItems = 1_000

export function gapId({ after, before }: Gap): string {
  return `gap ${after} ${before}`
}

/** Returns the history of a state: its newest items, and a gap if there are older ones. */
export function openHistory({ core, window }: ConversationState): History {
  const [first] = window
  const hasOlder = core.counts.items > window.length
  const gap: History = hasOlder ? [{ kind: 'gap', after: 0, before: first?.seq ?? core.seq + 1 }] : []
  return first === undefined ? gap : [...gap, { kind: 'items', items: window }]
}

/** Adds newly completed items; without any, returns the same history. */
export function followHistory(history: History, state: ConversationState): History {
  const last = history.at(-1)
  if (last === undefined) return openHistory(state)
  const lastSeq = last.kind === 'items' ? (last.items.at(-1)?.seq ?? 0) : last.before - 1
  const added = state.window.filter(({ seq }) => seq > lastSeq)
  const [first] = added
  if (first === undefined) return history
  // Without a known item before the new ones, some may have come and gone between two states.
  const isUnbroken = added.length < state.window.length || state.core.counts.items === added.length
  const gap: Gap = { kind: 'gap', after: lastSeq, before: first.seq }
  return joined([...history, ...(isUnbroken ? [] : [gap]), { kind: 'items', items: added }])
}

/** Returns the request that reads on from an end of the gap. */
export function pageOf(gap: Gap, end: GapEnd, isSearch = false): PageRequest {
  if (end === 'lower') return { gap, end, before: gap.before, limit: isSearch ? searchedItems : pageItems }
  const limit = isSearch ? searchedItems : pageEvents
  // The server reads backwards only: of so few events, no more can be items.
  return { gap, end, before: Math.min(gap.before, gap.after + 1 + limit), limit }
}

/** Puts loaded items in the place of their gap; smaller gaps remain beside them. */
export function fillGap(
  history: History,
  { gap, before }: PageRequest,
  { items, more }: { readonly items: readonly CompletedItem[]; readonly more: boolean },
): History {
  const fresh = items.filter(({ seq }) => seq > gap.after && seq < gap.before)
  const [first] = fresh
  const reachesUp = !more || first === undefined || items.some(({ seq }) => seq <= gap.after)
  const parts: History = [
    ...(reachesUp ? [] : [{ ...gap, before: first.seq }]),
    ...(first === undefined ? [] : [{ kind: 'items', items: fresh } as const]),
    ...(before < gap.before ? [{ ...gap, after: before - 1 }] : []),
  ]
  return joined(history.flatMap((part) => (isGap(part, gap) ? parts : [part])))
}

function isGap(part: HistoryPart, gap: Gap): part is Gap {
  return part.kind === 'gap' && part.after === gap.after && part.before === gap.before
}

function joined(parts: History): History {
  const whole: HistoryPart[] = []
  for (const part of parts) {
    const last = whole.at(-1)
    if (part.kind === 'items' && last?.kind === 'items')
      whole[whole.length - 1] = { kind: 'items', items: [...last.items, ...part.items] }
    else whole.push(part)
  }
  return whole
}

/** Size of the items in memory above which the farthest from the screen are dropped. */
const keptCharacters = 24 * 1024 * 1024
const keptItems = 3_000
/** Newest items, which are always kept. */
const keptNewest = 200

/** Drops items far from the items with these ids, so that memory stays bounded. Gaps take their place. */
export function boundHistory(history: History, nearIds: readonly string[]): History {
  const items = history.flatMap((part) => (part.kind === 'items' ? part.items : []))
  const total = items.reduce((sum, { item }) => sum + charactersOf(item), 0)
  if (items.length <= keptItems && total <= keptCharacters) return history
  const places = nearIds.map((id) => items.findIndex(({ item }) => item.id === id)).filter((at) => at !== -1)
  const newest = items.slice(-keptNewest).map(({ seq }) => seq)
  const kept = new Set([...places.flatMap((at) => nearestTo(items, at, 2 * places.length)), ...newest])
  return history.flatMap((part) => (part.kind === 'gap' ? [part] : thinned(part, kept))).reduce(withWiderGaps, [])
}

/** Returns the seqs of items around an index that together stay below a share of the limits. */
function nearestTo(items: readonly CompletedItem[], at: number, share: number): readonly number[] {
  const seqs: number[] = []
  let characters = 0
  for (let distance = 0; distance < items.length; distance++) {
    const around = distance === 0 ? [items[at]] : [items[at - distance], items[at + distance]]
    for (const completed of around) {
      if (completed === undefined) continue
      characters += charactersOf(completed.item)
      if (seqs.length > 0 && (seqs.length >= keptItems / share || characters > keptCharacters / share)) return seqs
      seqs.push(completed.seq)
    }
  }
  return seqs
}

function thinned({ items }: Stretch, kept: ReadonlySet<number>): History {
  return joined(
    items.map((completed) =>
      kept.has(completed.seq)
        ? { kind: 'items', items: [completed] }
        : { kind: 'gap', after: completed.seq - 1, before: completed.seq + 1 },
    ),
  )
}

/** Appends a part; neighbouring gaps become one that reaches from item to item. */
function withWiderGaps(history: History, part: HistoryPart): History {
  const last = history.at(-1)
  if (last?.kind === 'items' && part.kind === 'gap')
    return [...history, { ...part, after: last.items.at(-1)?.seq ?? 0 }]
  if (last?.kind !== 'gap') return [...history, part]
  const before = history.slice(0, -1)
  if (part.kind === 'gap') return [...before, { ...last, before: part.before }]
  return [...before, { ...last, before: part.items[0]?.seq ?? last.before }, part]
}

function charactersOf(item: CompletedItem['item']): number {
  const output = 'output' in item && item.output !== undefined ? item.output.head.length + item.output.tail.length : 0
  const told = 'modelText' in item ? (item.modelText?.length ?? 0) : 0
  const changed = item.type === 'fileChange' ? item.changes.reduce((sum, { diff }) => sum + diff.length, 0) : 0
  return item.title.length + item.text.length + output + told + changed
}
