import type { StopReason } from './command.ts'

/** From asking to forcing. `abandon`: even SIGKILL did not end it (it hangs in the kernel), so we stop waiting. */
export type Rung = 'SIGINT' | 'SIGTERM' | 'SIGKILL' | 'abandon'

export type Schedule = (delayMs: number, action: () => void) => () => void

export interface StopLadder {
  /** Takes the first rung, or the next one if it was begun; the later ones follow by themselves. */
  climb(reason: StopReason | 'timedOut'): void
  close(): void
}

export function createStopLadder(take: (rung: Rung) => void, schedule: Schedule = afterDelay): StopLadder {
  let rung: Rung | null = null
  let hurried = false
  let cancel = () => {}
  function step(): void {
    cancel()
    rung = nextRung(rung, hurried)
    if (rung !== 'abandon') cancel = schedule(patienceMs(rung, hurried), step)
    take(rung)
  }
  return {
    climb(reason) {
      hurried ||= reason === 'shutdown'
      if (rung !== 'SIGKILL' && rung !== 'abandon') step()
    },
    close() {
      cancel()
    },
  }
}

export function nextRung(rung: Rung | null, hurried: boolean): Rung {
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

/** How long a rung is given: INT at 0, TERM at 500, KILL at 1,500 ms; hurried TERM at 0, KILL at 700 ms. */
export function patienceMs(rung: Exclude<Rung, 'abandon'>, hurried: boolean): number {
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
