import { type ConversationEvent, type ItemId, isCall } from '@parley/protocol'
import { isRecord } from '@parley/text'

/** First place where two events differ. */
export interface EventDifference {
  /** Keys and indexes that lead to it, joined by dots; empty for the event itself. */
  readonly path: string
  readonly logged: unknown
  readonly replayed: unknown
}

/** Keys that depend on the clock, on the key of a home, or on prices that no log holds. */
const notCompared: ReadonlySet<string> = new Set(['durationMs', 'retryAt', 'seal', 'costUsd', 'isPartCost', 'program'])
/** Hashes over facts that no log holds, such as a folder's identity: equal ones of one call must stay equal. */
const renamed: ReadonlySet<string> = new Set(['payloadHash', 'contentHash'])

/** Compares events of a log with events of its replay. */
export interface EventComparison {
  /** Number of events that were equal. */
  readonly compared: number
  /** Number of requests with an equal hash. */
  readonly hashes: number
  /** Fields that only the replay had, each once, as keys joined by dots. */
  readonly added: readonly string[]
  /** Returns the first difference; null for equal events. */
  differenceOf(logged: ConversationEvent, replayed: ConversationEvent): EventDifference | null
}

/**
 * Compares in the order of the log. A field that only the replay has counts once an earlier event of that type and tool
 * in the log had it.
 */
export function createComparison(): EventComparison {
  const names = new Map<string, unknown>()
  const known = new Set<string>()
  const added = new Set<string>()
  let about = ''
  let kind = ''
  let compared = 0
  let hashes = 0

  function isRenamed(logged: unknown, replayed: unknown): boolean {
    const known = names.get(`${about} ${String(logged)}`)
    if (known === undefined) names.set(`${about} ${String(logged)}`, replayed)
    return known === undefined || known === replayed
  }

  function compare(logged: unknown, replayed: unknown, path: readonly string[]): EventDifference | null {
    if (isRecord(logged) && isRecord(replayed)) return compareKeys(logged, replayed, path)
    if (Array.isArray(logged) && Array.isArray(replayed) && logged.length === replayed.length)
      return firstOf(logged.keys(), (at) => compare(logged[at], replayed[at], [...path, String(at)]))
    const isEqual = renamed.has(path.at(-1) ?? '') ? isRenamed(logged, replayed) : Object.is(logged, replayed)
    return isEqual ? null : { path: path.join('.'), logged, replayed }
  }

  function compareKeys(logged: JsonRecord, replayed: JsonRecord, path: readonly string[]): EventDifference | null {
    const keys = new Set([...Object.keys(logged), ...Object.keys(replayed)])
    return firstOf(keys, (key) => {
      if (notCompared.has(key)) return null
      const field = [...path, key].filter((name) => !/^\d+$/.test(name)).join('.')
      if (key in logged) known.add(`${kind} ${field}`)
      else if (!known.has(`${kind} ${field}`)) {
        added.add(field)
        return null
      }
      return compare(logged[key], replayed[key], [...path, key])
    })
  }

  return {
    get compared() {
      return compared
    },
    get hashes() {
      return hashes
    },
    get added() {
      return [...added]
    },
    differenceOf(logged, replayed) {
      about = itemIdOf(logged) ?? ''
      kind = kindOf(logged)
      const found = compare(logged, replayed, [])
      if (found !== null) return found
      compared++
      if (logged.type === 'model.requested' && logged.request !== undefined) hashes++
      return null
    },
  }
}

type JsonRecord = Readonly<Record<string, unknown>>

function firstOf<Key>(keys: Iterable<Key>, look: (key: Key) => EventDifference | null): EventDifference | null {
  for (const key of keys) {
    const found = look(key)
    if (found !== null) return found
  }
  return null
}

function kindOf(event: ConversationEvent): string {
  if (!('item' in event)) return event.type
  const { item, type } = event
  return [type, item.type, isCall(item) ? item.tool : ''].join(' ')
}

/** Returns the item that an event begins or ends; null for other events. */
export function itemIdOf(event: ConversationEvent): ItemId | null {
  switch (event.type) {
    case 'item.started':
    case 'item.completed':
      return event.item.id
    case 'execution.started':
    case 'execution.failed':
    case 'item.discarded':
      return event.itemId
    case 'approval.requested':
      return event.approval.itemId
    default:
      return null
  }
}
