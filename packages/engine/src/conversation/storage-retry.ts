import { StorageError, slowSyncMs } from '@parley/journal'
import type { Clock } from '../ports/clock-and-ids.ts'
import type { Journal } from './journal.ts'
import { createPauses, createTroubleState, type StorageTrouble, type TroublePorts } from './storage-trouble.ts'

/**
 * Retries writes to the storage of a conversation. Trouble is reported once, tried again as long as that can help, and
 * ends with the first write that succeeds.
 */
export interface StorageRetry {
  /** Returns the present trouble, to be shown to a client; null while everything is stored. */
  show(): StorageTrouble | null
  /** Error of accepted work that could not be stored before the conversation was closed, or of a log that takes nothing for good; else null. */
  readonly unsaved: StorageError | null
  /** Called with each failed write to the log. */
  failed(error: StorageError): void
  /** Called after each write to the log. */
  stored(): void
  /**
   * Retries a write until it succeeds. Rejects when the failure is final or the conversation closes, and with the next
   * failure once `signal` has aborted.
   */
  persist<Result>(write: () => Result | Promise<Result>, signal?: AbortSignal): Promise<Result>
  /** Resolves to true when a retry is due; to false when the failure is final or the conversation closes. */
  wait(error: StorageError): Promise<boolean>
  /** Resets the delay and ends the trouble after work that needs storage succeeded. */
  worked(): void
  /** Ends the current wait at once, because a person asked to go on. */
  hurry(): void
  close(): void
}

export function createStorageRetry(ports: TroublePorts): StorageRetry {
  const pauses = createPauses(ports.clock)
  let waiting = 0
  const trouble = createTroubleState(ports, pauses, () => waiting > 0)
  let unsaved: StorageError | null = null
  let lost: StorageError | null = null

  async function wait(error: StorageError): Promise<boolean> {
    trouble.begin(error, 'work')
    trouble.report(error)
    unsaved = error
    if (!error.retryable || pauses.closed) return false
    waiting += 1
    await pauses.next()
    waiting -= 1
    return true
  }

  function worked(): void {
    unsaved = null
    pauses.reset()
    trouble.end()
  }

  async function persist<Result>(write: () => Result | Promise<Result>, signal?: AbortSignal): Promise<Result> {
    for (;;) {
      try {
        const result = await write()
        worked()
        return result
      } catch (error) {
        const isOver = !(error instanceof StorageError) || signal?.aborted === true
        if (isOver || !(await wait(error))) throw error
      }
    }
  }

  return {
    show: trouble.show,
    get unsaved() {
      return lost ?? unsaved
    },
    failed(error) {
      if (!error.retryable) lost ??= error
      trouble.begin(error, 'log')
    },
    stored: () => trouble.end('log'),
    persist,
    wait,
    worked,
    hurry: pauses.hurry,
    close: pauses.close,
  }
}

/** Waits for a sync. Reports one that does not end for long, as no failed call would. */
export async function awaitSync(
  log: Pick<Journal, 'synced' | 'stuck'>,
  { clock, retry }: { readonly clock: Clock; readonly retry: Pick<StorageRetry, 'failed'> },
): Promise<void> {
  const ended = new AbortController()
  void clock.sleep(slowSyncMs, ended.signal).then(() => {
    const error = ended.signal.aborted ? null : log.stuck()
    if (error !== null) retry.failed(error)
  })
  try {
    await log.synced()
  } finally {
    ended.abort()
  }
}

/** Ignores a storage failure of a write that a later event repeats, such as a delta. */
export function unlessStorageFails(write: () => void): void {
  try {
    write()
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
  }
}

/** Returns a reporter that passes each storage failure on once, however many callers report it. */
export function reportOnce(report: (fault: unknown) => void): (fault: unknown) => void {
  const reported = new WeakSet<StorageError>()
  return (fault) => {
    if (fault instanceof StorageError) {
      if (reported.has(fault)) return
      reported.add(fault)
    }
    report(fault)
  }
}
