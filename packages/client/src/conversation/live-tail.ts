import type { Envelope } from '@parley/protocol'
import type { ConversationStore } from './conversation-store.ts'

/** Events that a slow reader may leave in memory. */
const tailLimit = 1024

/** The newest events of a conversation, for one reader. It rather has a gap than grow. */
export interface LiveTail extends Disposable {
  /** Events are missing before those to come; begins so. */
  readonly hasGap: boolean
  /** What was not taken, oldest first; also what comes while it is taken. */
  takeAll(): Iterable<Envelope>
  /** Forgets what was not taken, and collects without a gap from here on. */
  restart(): void
  leaveGap(): void
  /** Resolves when something came, a gap was torn, or the end was signalled. */
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

  /** The server's state replaced ours: what led there never came. */
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
