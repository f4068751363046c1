/** Time limit that pauses while the user is asked. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal
  readonly reached: boolean
  /** Resolves as `wait` does and pauses the deadline until then. */
  pausedFor<Result>(wait: Promise<Result>): Promise<Result>
}

export function startDeadline(limitMs: number): Deadline {
  const stop = new AbortController()
  let leftMs = limitMs
  let pauses = 0
  let sinceMs = 0
  let isOver = false
  let timer: NodeJS.Timeout | undefined

  function run(): void {
    sinceMs = performance.now()
    timer = setTimeout(() => stop.abort(), Math.max(0, leftMs))
  }

  function hold(): void {
    clearTimeout(timer)
    leftMs -= performance.now() - sinceMs
  }

  run()
  return {
    signal: stop.signal,
    get reached() {
      return stop.signal.aborted
    },
    async pausedFor(wait) {
      if (pauses === 0) hold()
      pauses += 1
      try {
        return await wait
      } finally {
        pauses -= 1
        if (pauses === 0 && !stop.signal.aborted && !isOver) run()
      }
    },
    [Symbol.dispose]() {
      isOver = true
      clearTimeout(timer)
    },
  }
}
