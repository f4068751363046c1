import type { Envelope } from '@parley/protocol'
import type { ConversationStore } from './conversation-store.ts'

/** Unread events kept in memory. */
const tailLimit = 1024

/** The newest events of a conversation for one reader. Beyond the limit they are dropped, which leaves a gap. */
export interface LiveTail extends Disposable {
  /** True if events before the next one are missing. Initially true. */
  readonly hasGap: boolean
  /** Yields and removes the unread events, oldest first, those that arrive meanwhile included. */
  takeAll(): Iterable<Envelope>
  /** Drops unread events and collects without a gap from now on. */
  restart(): void
  leaveGap(): void
  /** Resolves when an event arrived, a gap appeared, or `ended` aborted. */
  changed(): Promise<void>
}

export function openTail(store: ConversationStore, ended: AbortSignal): LiveTail {
  let events: Envelope[] = []
  let first = 0
  let hasGap = true
  let changed = Promise.withResolvers<void>()

  function leaveGap(): void {
    hasGap = true
    events = []
    first = 0
  }

  function take(): Envelope | undefined {
    const event = events[first++]
    if (event === undefined || first > tailLimit) {
      events.splice(0, first)
      first = 0
    }
    return event
  }

  function wake(): void {
    changed.resolve()
    changed = Promise.withResolvers()
  }

  /** Adds an event. Null means that the server's state replaced the local one, so events are missing. */
  function collect(envelope: Envelope | null): void {
    if (envelope === null || events.length - first >= tailLimit) leaveGap()
    else if (!hasGap) events.push(envelope)
    wake()
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
    changed: () => (ended.aborted ? Promise.resolve() : changed.promise),
    [Symbol.dispose]() {
      leave()
      ended.removeEventListener('abort', wake)
    },
  }
}
