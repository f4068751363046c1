interface WatchParts {
  /** Asks the server something small. */
  readonly ping: () => Promise<unknown>
  /** Called when the server has not answered for 3 s, again every 30 s, and once it answers. */
  readonly onHang: (hangs: boolean) => void
  readonly now: () => number
}

const tickMs = 500
/** Silence after which the server is asked whether it is there. */
const silentAfterMs = 1_000
/** Silence after which it counts as hanging. */
const hangsAfterMs = 3_000
const saidAgainAfterMs = 30_000
/** A tick this late means that this process itself was stopped, or the machine slept. */
const lateMs = 2_000

/** Finds a server that hangs, while something is expected of it: a reply, or the next event of a turn. Sends nothing when idle. */
export class ServerWatch implements Disposable {
  readonly #parts: WatchParts
  #pending = 0
  #isTurnRunning = false
  #heardAtMs = 0
  #tickedAtMs = 0
  #isAsked = false
  #saidAtMs: number | null = null
  #timer: NodeJS.Timeout | null = null

  constructor(parts: WatchParts) {
    this.#parts = parts
  }

  /** Expects the end of a request. */
  async during<Result>(work: Promise<Result>): Promise<Result> {
    this.#pending += 1
    this.#begin()
    try {
      return await work
    } finally {
      this.#pending -= 1
      this.#hear()
    }
  }

  /** Takes an event as a sign of life, and expects more of them while a turn runs. */
  follow(isTurnRunning: boolean): void {
    this.#isTurnRunning = isTurnRunning
    this.#hear()
    if (isTurnRunning) this.#begin()
  }

  /** Looks at the silence so far. */
  tick(): void {
    const nowMs = this.#parts.now()
    if (nowMs - this.#tickedAtMs > tickMs + lateMs) this.#heardAtMs = nowMs
    this.#tickedAtMs = nowMs
    if (this.#pending === 0 && !this.#isTurnRunning && !this.#isAsked) this[Symbol.dispose]()
    else this.#lookAt(nowMs)
  }

  #lookAt(nowMs: number): void {
    const silentMs = nowMs - this.#heardAtMs
    if (silentMs >= silentAfterMs && !this.#isAsked) void this.#ask()
    const isDue = this.#saidAtMs === null || nowMs - this.#saidAtMs >= saidAgainAfterMs
    if (silentMs >= hangsAfterMs && isDue) {
      this.#saidAtMs = nowMs
      this.#parts.onHang(true)
    }
  }

  [Symbol.dispose](): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  #begin(): void {
    if (this.#timer !== null) return
    this.#heardAtMs = this.#parts.now()
    this.#tickedAtMs = this.#heardAtMs
    this.#timer = setInterval(() => this.tick(), tickMs).unref()
  }

  #hear(): void {
    this.#heardAtMs = this.#parts.now()
    if (this.#saidAtMs === null) return
    this.#saidAtMs = null
    this.#parts.onHang(false)
  }

  async #ask(): Promise<void> {
    this.#isAsked = true
    try {
      await this.#parts.ping()
    } catch {
      // An error is an answer, too; a lost connection is reported by itself.
    }
    this.#isAsked = false
    this.#hear()
  }
}
