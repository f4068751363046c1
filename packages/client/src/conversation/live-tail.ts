import type { Envelope } from '@parley/protocol'
import type { ConversationStore } from './conversation-store.ts'

/** Unread events kept in memory. */
const tailLimit = 1024
/** Most characters of several unread events; a character takes two bytes at most. */
const tailLength = 1 << 20

/** The newest events of a conversation for one reader. Events beyond the limits are dropped, which leaves a gap. */
export interface LiveTail extends Disposable {
  /** True if events before the next one are missing. Initially true. */
  readonly hasGap: boolean
  /** Yields and removes the unread events, oldest first, and also events that arrive meanwhile. */
  takeAll(): Iterable<Envelope>
  /** Drops unread events and collects without a gap from now on. */
  restart(): void
  leaveGap(): void
  /** Resolves when an event is unread, there is a gap, or `ended` aborted. */
  changed(): Promise<void>
}

export function openTail(store: ConversationStore, ended: AbortSignal): LiveTail {
  let events: Envelope[] = []
  let first = 0
  let length = 0
  let hasGap = true
  let changed = Promise.withResolvers<void>()

  function leaveGap(): void {
    hasGap = true
    events = []
    first = 0
    length = 0
  }

  function take(): Envelope | undefined {
    const event = events[first++]
    if (event === undefined || first > tailLimit) {
      events.splice(0, first)
      first = 0
    }
    if (event !== undefined) length -= lengthOf(event)
    return event
  }

  function wake(): void {
    changed.resolve()
    changed = Promise.withResolvers()
  }

  /** Adds an event. Null means that the server's state replaced the local one, so events are missing. */
  function collect(envelope: Envelope | null): void {
    if (envelope === null) leaveGap()
    else if (!hasGap) keep(envelope)
    wake()
  }

  /** Keeps the event. A single unread event is kept however long it is. */
  function keep(envelope: Envelope): void {
    const unread = events.length - first
    length += lengthOf(envelope)
    if (unread > 0 && (unread >= tailLimit || length > tailLength)) leaveGap()
    else events.push(envelope)
  }

  const leave = store.subscribe(collect)
  ended.addEventListener('abort', wake)
  return {
    get hasGap() {
      return hasGap
    },
    *takeAll() {
      for (let event = take(); event !== undefined; event = take()) yield event
    },
    restart() {
      leaveGap()
      hasGap = false
    },
    leaveGap,
    // An event may have come since the last look: a reader's step takes several microtasks.
    changed: () => (ended.aborted || hasGap || first < events.length ? Promise.resolve() : changed.promise),
    [Symbol.dispose]() {
      leave()
      ended.removeEventListener('abort', wake)
    },
  }
}

/** Returns the characters of all texts in a value, with a fixed number for each value. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length + valueLength
  if (typeof value !== 'object' || value === null) return valueLength
  let length = valueLength
  for (const part of Object.values(value)) length += lengthOf(part)
  return length
}

const valueLength = 16
