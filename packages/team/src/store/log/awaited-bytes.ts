import type { StorageError } from '@parley/journal'

/** Promises for the bytes of a log that a store acknowledges. */
export interface AwaitedBytes {
  /** Resolves when the first bytes are acknowledged. Rejects once nothing will be any more. */
  upTo(sizeBytes: number): Promise<void>
  acknowledged(sizeBytes: number): void
  /** Ends it; the first failure stands. */
  fail(error: StorageError): void
  /** Failure after which nothing is acknowledged; null before one. */
  readonly failure: StorageError | null
}

export function awaitBytes(startBytes: number): AwaitedBytes {
  const waiting: { readonly upTo: number; readonly done: PromiseWithResolvers<void> }[] = []
  let reached = startBytes
  let failure: StorageError | null = null
  return {
    upTo(sizeBytes) {
      if (sizeBytes <= reached) return Promise.resolve()
      if (failure !== null) return Promise.reject(failure)
      const done = Promise.withResolvers<void>()
      waiting.push({ upTo: sizeBytes, done })
      return done.promise
    },
    acknowledged(sizeBytes) {
      reached = sizeBytes
      while (waiting[0] !== undefined && waiting[0].upTo <= reached) waiting.shift()?.done.resolve()
    },
    fail(error) {
      failure ??= error
      for (const { done } of waiting.splice(0)) done.reject(error)
    },
    get failure() {
      return failure
    },
  }
}
