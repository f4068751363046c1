/** `handOver`: as `shutdown`, but what runs where another server can go on with it is left running. */
export type StopReason = 'interrupted' | 'shutdown' | 'handOver'

export type StopCause = Exclude<StopReason, 'handOver'> | 'timedOut'

/** Steps from asking to forcing. `abandon`: SIGKILL did not end it (it hangs in the kernel), so nothing more is awaited. */
export type Rung = 'SIGINT' | 'SIGTERM' | 'SIGKILL' | 'abandon'

export interface StopLadder {
  /** Takes the first rung, or the next one after an earlier call; the later ones follow by themselves. */
  climb(cause: StopCause): void
  close(): void
}

export function createStopLadder(take: (rung: Rung) => void, schedule = afterDelay): StopLadder {
  let rung: Rung | null = null
  let hurried = false
  let cancel = () => {}
  function step(): void {
    cancel()
    rung = nextRung(rung, hurried)
    if (rung !== 'abandon') cancel = schedule(rungMs(rung, hurried), step)
    take(rung)
  }
  return {
    climb(cause) {
      hurried ||= cause === 'shutdown'
      if (rung !== 'SIGKILL' && rung !== 'abandon') step()
    },
    close() {
      cancel()
    },
  }
}

function nextRung(rung: Rung | null, hurried: boolean): Rung {
  switch (rung) {
    case null:
      return hurried ? 'SIGTERM' : 'SIGINT'
    case 'SIGINT':
      return 'SIGTERM'
    case 'SIGTERM':
      return 'SIGKILL'
    case 'SIGKILL':
    case 'abandon':
      return 'abandon'
  }
}

/** Returns the time until the next rung: INT at 0, TERM at 500, KILL at 1,500 ms; hurried TERM at 0, KILL at 700 ms. */
export function rungMs(rung: Exclude<Rung, 'abandon'>, hurried: boolean): number {
  switch (rung) {
    case 'SIGINT':
      return 500
    case 'SIGTERM':
      return hurried ? 700 : 1000
    case 'SIGKILL':
      return 900
  }
}

function afterDelay(delayMs: number, action: () => void): () => void {
  const timer = setTimeout(action, delayMs)
  return () => clearTimeout(timer)
}
