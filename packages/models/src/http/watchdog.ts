export type Trip = 'aborted' | 'idle' | 'tooLong'

export interface WatchdogLimits {
  readonly idleMs: number
  readonly totalMs: number
}

/** Longer than this a timer fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Ends a response that is aborted, silent, or endless: `onTrip` runs once, and `trip` says why. */
export class Watchdog {
  readonly #signal: AbortSignal
  readonly #onTrip: () => void
  readonly #onAbort = () => this.#fire('aborted')
  readonly #idle: NodeJS.Timeout
  readonly #total: NodeJS.Timeout
  #held = false
  #trip: Trip | undefined

  constructor(signal: AbortSignal, limits: WatchdogLimits, onTrip: () => void) {
    this.#signal = signal
    this.#onTrip = onTrip
    this.#idle = setTimeout(() => this.#onIdle(), Math.min(limits.idleMs, MAX_TIMER_MS))
    this.#total = setTimeout(() => this.#fire('tooLong'), limits.totalMs)
    signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  get trip(): Trip | undefined {
    return this.#trip
  }

  /** Something whole has arrived. */
  alive(): void {
    this.#idle.refresh()
  }

  /** While the reader of our events is busy, silence is not the provider's. */
  hold(held: boolean): void {
    if (this.#held && !held) this.#idle.refresh()
    this.#held = held
  }

  stop(): void {
    clearTimeout(this.#idle)
    clearTimeout(this.#total)
    this.#signal.removeEventListener('abort', this.#onAbort)
  }

  #onIdle(): void {
    if (this.#held) this.#idle.refresh()
    else this.#fire('idle')
  }

  #fire(trip: Trip): void {
    if (this.#trip !== undefined) return
    this.#trip = trip
    this.stop()
    this.#onTrip()
  }
}
