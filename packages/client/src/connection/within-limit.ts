export interface Limit {
  readonly limitMs: number
  /** Returns the error to reject with when the time is up. */
  readonly expired: () => Error
  readonly signal?: AbortSignal | undefined
}

/** Resolves with the work. Rejects when the time is up, or with the signal's reason; the work itself continues unobserved. */
export async function withinLimit<Result>(work: Promise<Result>, { limitMs, expired, signal }: Limit): Promise<Result> {
  const given = Promise.withResolvers<never>()
  const stop = () => given.reject(signal?.reason)
  const timer = setTimeout(() => given.reject(expired()), limitMs)
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted === true) stop()
  try {
    return await Promise.race([work, given.promise])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
    // The work may still fail after the limit, and must not count as unhandled.
    work.catch(() => undefined)
  }
}
