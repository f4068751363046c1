import { StorageError } from '@parley/journal'
import type { ConversationId, ConversationSummary, ServerNotice } from '@parley/protocol'
import type { Clock } from '../ports/clock-and-ids.ts'
import { storageNotice, storageRestored } from '../replies/storage-words.ts'

const firstDelayMs = 500
const longestDelayMs = 10_000

/** Pauses between tries, each twice as long as the one before. */
export interface Pauses {
  /** Resolves after the next pause, or at once when the conversation closes or a person asks to go on. */
  next(): Promise<void>
  /** Makes the next pause short again. */
  reset(): void
  /** Ends the current pauses. */
  hurry(): void
  close(): void
  readonly closed: boolean
}

export function createPauses(clock: Clock): Pauses {
  const closing = new AbortController()
  let nudge = new AbortController()
  let delayMs = firstDelayMs
  return {
    async next() {
      await clock.sleep(delayMs, AbortSignal.any([closing.signal, nudge.signal]))
      delayMs = Math.min(2 * delayMs, longestDelayMs)
    },
    reset() {
      delayMs = firstDelayMs
    },
    hurry() {
      nudge.abort()
      nudge = new AbortController()
    },
    close: () => closing.abort(),
    get closed() {
      return closing.signal.aborted
    },
  }
}

/** Storage that takes nothing at present, as clients see it. */
export interface StorageTrouble {
  readonly error: StorageError
  /** ms since the epoch. */
  readonly since: number
}

export interface TroublePorts {
  readonly conversationId: ConversationId
  readonly clock: Clock
  /** Sends a notice to every connected client, here that trouble which they know of has passed. */
  readonly notify: (notice: ServerNotice) => void
  /** Called once in each trouble, where work waits or a later try failed too. */
  readonly report: (error: StorageError) => void
  /** Throws `StorageError` while the storage would take no event. */
  readonly probe: () => void
}

/** Returns the trouble as clients see it, and notes that they know of it; an empty object while everything is saved. */
export function storageOf(storage: Pick<TroubleState, 'show'>): Pick<ConversationSummary, 'storage'> {
  const trouble = storage.show()
  if (trouble === null) return {}
  const { error, since } = trouble
  return { storage: { ...storageNotice(error), since, passing: error.retryable } }
}

/** State of the storage of one conversation. */
export interface TroubleState {
  /** Returns the present trouble, to be shown to a client; null while everything is stored. */
  show(): StorageTrouble | null
  /** Begins trouble unless there is some: of the log, which its next write ends, or of work that needs more than the log. */
  begin(error: StorageError, of: 'log' | 'work'): void
  report(error: StorageError): void
  /** Ends the trouble if a probe also succeeds; with `log`, only trouble of the log. */
  end(of?: 'log'): void
}

export function createTroubleState(ports: TroublePorts, pauses: Pauses, isAwaited: () => boolean): TroubleState {
  let current: (StorageTrouble & { readonly of: 'log' | 'work' }) | null = null
  let isReported = false
  let isShown = false
  let isProbing = false

  function report(error: StorageError): void {
    if (!isReported) ports.report(error)
    isReported = true
  }

  function end(of?: 'log'): void {
    if (current === null || (of !== undefined && current.of !== of)) return
    // A short line still fits into the last block of a full disk.
    if (current.error.retryable && !succeeds(ports.probe)) return
    current = null
    pauses.reset()
    if (isReported || isShown) ports.notify({ ...storageRestored, conversationId: ports.conversationId })
    isReported = false
    isShown = false
  }

  /** Finds out that the trouble has passed, while no work waits that would. */
  async function probe(): Promise<void> {
    isProbing = true
    while (current?.error.retryable === true && !isAwaited() && !pauses.closed) {
      await pauses.next()
      if (isAwaited() || current === null) break
      const { error } = current
      end()
      // A delta that was not stored matters only where a later write fails too.
      if (current !== null) report(error)
    }
    isProbing = false
  }

  return {
    show() {
      isShown ||= current !== null
      return current
    },
    begin(error, of) {
      if (current !== null) return
      current = { error, since: ports.clock.now(), of }
      // Later than the caller: its work may wait and retry by itself.
      setImmediate(() => isProbing || void probe())
    },
    report,
    end,
  }
}

function succeeds(probe: () => void): boolean {
  try {
    probe()
    return true
  } catch (error) {
    if (error instanceof StorageError) return false
    throw error
  }
}
