/** Why a line could not become a message. Never carries the line's content. */
export type UnreadableReason = 'tooLong' | 'notUtf8' | 'notJson' | 'tooDeep' | 'repeatedId' | 'binary'

export interface Unreadable {
  readonly kind: 'unreadable'
  readonly reason: UnreadableReason
}

/** One line (or one frame) from the far side. */
export type Incoming = { readonly kind: 'message'; readonly value: unknown } | Unreadable

/** `ended`: the far side is gone; `closed`: we closed; `broken`: the channel failed. */
export interface CloseReason {
  readonly code: 'ended' | 'closed' | 'broken'
  readonly detail?: string
}

/**
 * A two-way channel of JSON texts, in order. It has one owner, which pulls `incoming` until it ends and then calls
 * `close`: an ended far side is noticed only by pulling, and may still be listening (a script that pipes its requests
 * and reads the answers), so lines sent between the end and `close` are still delivered where possible.
 */
export interface Transport extends AsyncDisposable {
  /** Pulled one line at a time and only once; nothing is read ahead beyond one chunk. Returns why it ended. */
  readonly incoming: AsyncIterable<Incoming, CloseReason, undefined>
  /** One JSON text without line feeds (throws on one). Keeps order, joins the lines of a tick, ignored after close. */
  send(line: string): void
  /** Bytes sent but not yet taken by the operating system. */
  readonly bufferedBytes: number
  /** Resolves when `bufferedBytes` is at most 1 MiB, or the far side can no longer be written to. */
  drained(): Promise<void>
  /** Flushes what was sent (for a bounded time), then closes. Idempotent; resolves when closed. */
  close(): Promise<void>
  /**
   * Asks the far side for a sign of life and tells whether one came in time. Only where the channel has a question of
   * its own; elsewhere the system says when the far side has gone.
   */
  ping?(withinMs: number): Promise<boolean>
  /** Never rejects. The first cause wins. */
  readonly closed: Promise<CloseReason>
}

/** What `drained` waits for. */
export const lowMarkBytes = 1024 * 1024

export function unreadable(reason: UnreadableReason): Unreadable {
  return { kind: 'unreadable', reason }
}

interface DrainWaiters {
  /** Resolves at once when the level is at most the mark, else when `lowered` finds it there. */
  whenAtMost(mark: number): Promise<void>
  /** To be called whenever the level may have fallen. */
  lowered(): void
}

interface Waiter {
  readonly mark: number
  readonly resolve: () => void
}

/** Who waits for a level (unsent bytes) to fall. */
export function createDrainWaiters(level: () => number): DrainWaiters {
  let waiters: Waiter[] = []

  function whenAtMost(mark: number): Promise<void> {
    if (level() <= mark) return Promise.resolve()
    return new Promise((resolve) => {
      waiters.push({ mark, resolve })
    })
  }

  function lowered(): void {
    if (waiters.length === 0) return
    const waiting = waiters
    waiters = waiting.filter((waiter) => level() > waiter.mark)
    for (const waiter of waiting) if (level() <= waiter.mark) waiter.resolve()
  }

  return { whenAtMost, lowered }
}
