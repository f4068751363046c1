/** Source of time; tests replace it. */
export interface Clock {
  /** Returns wall time in ms since the epoch; a label, never used for order. */
  now(): number
  /** Returns monotonic time in ms, for durations. */
  elapsed(): number
  /** Resolves after `delayMs`, or at once when the signal fires; never rejects. */
  sleep(delayMs: number, signal: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (delayMs, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, delayMs)
      signal.addEventListener('abort', done)
    }),
}
