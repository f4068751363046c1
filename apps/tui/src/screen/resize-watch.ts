import type { Geometry } from '../view/erase-zone.ts'
import type { TerminalSize } from '../view/screen.ts'
import type { TerminalProbe } from './terminal-probe.ts'

/** Live zone on the terminal, as far as resizes concern it. */
export interface ResizableZone {
  readonly frameCount: number
  collect(draw: () => void): string
  readonly isMovable: boolean
  stepsUp(left: number | null): number
  climb(steps: number): string
  climbed(steps: number, at: Geometry): number
  cutAt(columns: number): void
  eraseBelow(at: Geometry): void
  erase(at: Geometry): void
}

interface ResizeParts {
  readonly probe: TerminalProbe
  readonly zone: ResizableZone
  readonly write: (text: string) => void
  /** Size as the system reports it. */
  readonly size: () => TerminalSize
  /** Delays frames by this time. */
  readonly hold: (holdMs: number) => void
  /** Paints, unless frames are delayed. */
  readonly repaint: () => void
}

/** Delay of the frame after a resize that came alone, and after one that followed another within `dragMs`. */
const aloneMs = 15
const followedMs = 80
const dragMs = 200
/** Delay until the terminal is asked again whether the size it has is the one that was reported. */
const disagreedMs = 40
/** Questions after which the reported size is taken, whatever the terminal answers. */
const maxDisagreements = 25
/**
 * Time after a resize during which the terminal is asked before each frame: tmux reports a second resize after 250 ms.
 */
const guardMs = 400
/** Latency of answers above which only frames after a resize wait for one. */
const slowMs = 50

/**
 * Moves the cursor to the first row of the live zone. Rows are erased only once the terminal has said where its cursor
 * was and how wide the window was.
 */
export class ResizeWatch {
  readonly #parts: ResizeParts
  #lastMs = Number.NEGATIVE_INFINITY
  /** True from a resize until the live zone has been erased. */
  #isPending = false
  /** Called once the cursor is in the first row; null while nothing is asked. */
  #onTop: (() => void) | null = null
  /** Rows that the cursor went up since the terminal was last heard of. */
  #stepping = 0
  #disagreements = 0

  constructor(parts: ResizeParts) {
    this.#parts = parts
  }

  /** Takes note of a new size. */
  resized(): void {
    const nowMs = performance.now()
    this.#parts.hold(nowMs - this.#lastMs > dragMs ? aloneMs : followedMs)
    this.#lastMs = nowMs
    this.#isPending = true
    this.#climb(this.#parts.repaint)
  }

  /**
   * Returns true if a frame may be painted now; otherwise calls `paint` once it may. A frame that answers a key
   * (`isUrgent`) waits only shortly after a resize.
   */
  allows(isUrgent: boolean, paint: () => void): boolean {
    if (this.#onTop === null && !this.#isGuarded() && (isUrgent || !this.#isWorthAsking())) return true
    this.#climb(paint)
    return false
  }

  /** Writes the frame that `draw` writes to the zone, and asks for the width that the terminal has when it takes it in. */
  send(draw: () => void): void {
    const { probe, zone, write } = this.#parts
    const text = zone.collect(draw)
    if (text === '') return
    if (probe.isSilent || !zone.isMovable) {
      write(text)
      return
    }
    const { frameCount } = zone
    const { columns } = this.#parts.size()
    probe.ask(text, (found) => {
      if (found !== null && found.columns < columns && zone.frameCount === frameCount) zone.cutAt(found.columns)
    })
  }

  /** Erases the live zone without asking, because the terminal is given away. */
  giveUp(): void {
    const { probe, zone, size } = this.#parts
    probe.cancel()
    zone.climbed(this.#stepping, size())
    zone.erase(size())
    this.#stepping = 0
    this.#onTop = null
    this.#isPending = false
  }

  #isGuarded(): boolean {
    return this.#isPending || performance.now() - this.#lastMs <= guardMs
  }

  #isWorthAsking(): boolean {
    const { probe, zone } = this.#parts
    return zone.isMovable && !probe.isSilent && probe.latencyMs < slowMs
  }

  #climb(onTop: () => void): void {
    const isClimbing = this.#onTop !== null
    this.#onTop = onTop
    if (!isClimbing) this.#step(null)
  }

  /** Moves the cursor to the zone's first row, `left` rows above if known, by the terminal's report after each move. */
  #step(left: number | null): void {
    const { probe, zone } = this.#parts
    const steps = zone.stepsUp(left)
    this.#stepping = steps
    probe.ask(zone.climb(steps), (found) => {
      this.#stepping = 0
      const at = found ?? this.#parts.size()
      const remaining = zone.climbed(steps, at)
      if (remaining === 0) this.#reached(at)
      else this.#step(remaining)
    })
  }

  #reached(at: Geometry): void {
    const onTop = this.#onTop
    this.#onTop = null
    const isAgreed = isSame(at, this.#parts.size())
    if (this.#isPending || !isAgreed) this.#parts.zone.eraseBelow(at)
    this.#isPending = false
    if (!isAgreed && this.#disagreements < maxDisagreements) {
      this.#disagreements += 1
      this.#parts.hold(disagreedMs)
      return
    }
    this.#disagreements = 0
    onTop?.()
  }
}

function isSame(one: TerminalSize, other: TerminalSize): boolean {
  return one.columns === other.columns && one.rows === other.rows
}
