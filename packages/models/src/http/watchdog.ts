/** Reason why a response was ended. */
export type Trip = 'aborted' | 'idle' | 'tooLong'

export interface WatchdogLimits {
  readonly idleMs: number
  readonly totalMs: number
}

/** Longest delay of a timer; with a longer one it fires at once. */
const maxTimerMs = 2 ** 31 - 1

/** Timer that ends a response when it is aborted, silent or endless: `onTrip` runs once, `trip` is the reason. */
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
    this.#idle = setTimeout(() => this.#onIdle(), Math.min(limits.idleMs, maxTimerMs))
    this.#total = setTimeout(() => this.#fire('tooLong'), Math.min(limits.totalMs, maxTimerMs))
    signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  get trip(): Trip | undefined {
    return this.#trip
  }

  /** Restarts the idle time: something whole has arrived. */
  alive(): void {
    this.#idle.refresh()
  }

  /** Stops the idle time while the reader of the events is busy: the silence is not that of the provider. */
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
