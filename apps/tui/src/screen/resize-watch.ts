import type { Geometry } from '../view/erase-zone.ts'
import type { TerminalSize } from '../view/screen.ts'
import type { TerminalProbe } from './terminal-probe.ts'

interface ResizeParts {
  readonly probe: TerminalProbe
  /** Size as the system reports it. */
  readonly size: () => TerminalSize
  /** Erases the live zone on a terminal of this geometry. */
  readonly erase: (at: Geometry) => void
  /** Delays frames by this time. */
  readonly hold: (holdMs: number) => void
  /** Paints, unless frames are delayed. */
  readonly repaint: () => void
}

/** Delay of the frame after a resize that came alone. */
const aloneMs = 25
/** Delay after one that followed another within `guardMs`. */
const followedMs = 100
/** Delay until the terminal is asked again whether the size it has is the one that was reported. */
const disagreedMs = 40
/** Questions after which the reported size is taken, whatever the terminal answers. */
const maxDisagreements = 25
/** Time after a resize in which the terminal is asked before each frame: tmux reports a second resize after 250 ms. */
const guardMs = 400

/**
 * Erases the live zone after a resize and decides when frames may follow. A terminal has its new size before the program
 * hears of it, and rows written for another size go astray. So the terminal itself is asked where its cursor is and how
 * large it is.
 */
export class ResizeWatch {
  readonly #parts: ResizeParts
  #lastMs = Number.NEGATIVE_INFINITY
  /** True from a resize until the live zone has been erased. */
  #isPending = false
  #isAsking = false
  #previous: Geometry | null = null
  #disagreements = 0

  constructor(parts: ResizeParts) {
    this.#parts = parts
  }

  /** Takes note of a new size. */
  resized(): void {
    const nowMs = performance.now()
    this.#parts.hold(nowMs - this.#lastMs > guardMs ? aloneMs : followedMs)
    this.#lastMs = nowMs
    this.#isPending = true
    this.#ask(this.#parts.repaint)
  }

  /** Returns true if a frame may be painted now; otherwise calls `paint` once it may. */
  allows(paint: () => void): boolean {
    if (!this.#isPending && performance.now() - this.#lastMs > guardMs) return true
    if (!this.#isAsking) this.#ask(paint)
    return false
  }

  /** Erases the live zone without asking, because the terminal is given away. */
  giveUp(): void {
    this.#parts.probe.cancel()
    this.#isAsking = false
    if (this.#isPending) this.#parts.erase(this.#parts.size())
    this.#isPending = false
  }

  #ask(paint: () => void): void {
    this.#isAsking = true
    this.#parts.probe.ask((found) => {
      this.#isAsking = false
      this.#found(found, paint)
    })
  }

  #found(found: Geometry | null, paint: () => void): void {
    const told = this.#parts.size()
    const isAgreed = found === null || isSame(found, told)
    if (!isAgreed && !isSame(found, this.#previous)) {
      // Its size may be changing, so that what it answered is out of date.
      this.#previous = found
      this.#ask(paint)
      return
    }
    this.#previous = null
    if (this.#isPending || !isAgreed) this.#parts.erase(found ?? told)
    this.#isPending = false
    if (!isAgreed && this.#disagreements < maxDisagreements) {
      this.#disagreements += 1
      this.#parts.hold(disagreedMs)
      return
    }
    this.#disagreements = 0
    paint()
  }
}

function isSame(one: TerminalSize, other: TerminalSize | null): boolean {
  return one.columns === other?.columns && one.rows === other.rows
}
