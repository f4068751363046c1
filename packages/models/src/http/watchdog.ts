import { type AwakeTimeout, awakeTimeout } from '@parley/host'

/** Reason why a response was ended. */
export type Trip = 'aborted' | 'idle' | 'tooLong'

/** Timer that ends a response when it is aborted, silent or endless: `onTrip` runs once, `trip` is the reason. */
export class Watchdog {
  readonly #signal: AbortSignal
  readonly #onTrip: () => void
  readonly #onAbort = () => this.#fire('aborted')
  readonly #idle: AwakeTimeout
  readonly #total: AwakeTimeout
  #held = false
  #trip: Trip | undefined

  constructor(signal: AbortSignal, limits: { readonly idleMs: number; readonly totalMs: number }, onTrip: () => void) {
    this.#signal = signal
    this.#onTrip = onTrip
    this.#idle = awakeTimeout(limits.idleMs, () => this.#onIdle())
    this.#total = awakeTimeout(limits.totalMs, () => this.#fire('tooLong'))
    signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  get trip(): Trip | undefined {
    return this.#trip
  }

  /** Restarts the idle time: something whole has arrived. */
  alive(): void {
    this.#idle.refresh()
  }

  /** Stops the idle time while the reader of the events is busy: the silence is not the provider's. */
  hold(held: boolean): void {
    if (this.#held && !held) this.#idle.refresh()
    this.#held = held
  }

  stop(): void {
    this.#idle.stop()
    this.#total.stop()
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
