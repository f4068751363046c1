/** Shortest time between two frames that no key asked for. */
const frameMs = 33

/** Scheduler of frames: at once for a key, once per frame time for events, later where only time changes the screen. */
export interface Frames {
  now(): void
  /** Paints as soon as all pending output is on its way. */
  next(): void
  soon(): void
  /** Paints at this time, in ms since the epoch, unless that happens before for another reason. */
  at(timeMs: number | null): void
  /** Delays every frame by this time, then paints at once. */
  hold(holdMs: number): void
  areHeld(): boolean
  stop(): void
}

/** Creates the scheduler. `paint` gets true for a frame that `now` asked for, as for a key. */
export function createFrames(paint: (isUrgent: boolean) => void): Frames {
  let frame: NodeJS.Timeout | null = null
  let alarm: NodeJS.Timeout | undefined
  let lastMs = Number.NEGATIVE_INFINITY
  let held: NodeJS.Timeout | null = null
  let turn: NodeJS.Immediate | undefined
  let isStopped = false

  function paintNow(isUrgent: boolean): void {
    if (isStopped || held !== null) return
    clearImmediate(turn)
    if (frame !== null) clearTimeout(frame)
    frame = null
    lastMs = performance.now()
    paint(isUrgent)
  }

  const later = () => paintNow(false)

  return {
    now: () => paintNow(true),
    next() {
      clearImmediate(turn)
      turn = setImmediate(() => paintNow(true))
    },
    soon() {
      if (frame === null && held === null && !isStopped)
        frame = setTimeout(later, Math.max(0, lastMs + frameMs - performance.now()))
    },
    at(timeMs) {
      clearTimeout(alarm)
      if (timeMs !== null && !isStopped) alarm = setTimeout(later, Math.max(frameMs, timeMs - Date.now()))
    },
    hold(holdMs) {
      if (held !== null) clearTimeout(held)
      held = setTimeout(() => {
        held = null
        later()
      }, holdMs)
    },
    areHeld: () => held !== null,
    stop() {
      isStopped = true
      clearImmediate(turn)
      if (held !== null) clearTimeout(held)
      if (frame !== null) clearTimeout(frame)
      clearTimeout(alarm)
    },
  }
}

/** Timer that a key pressed before its end replaces, even if the key is read late. */
export interface QuietTimer {
  /** Replaces the end by this time, in ms since the epoch; null cancels it. */
  at(timeMs: number | null): void
  stop(): void
}

/**
 * Creates a timer that calls once all input available at its end has been read. A plain timer would fire before keys that
 * arrived in time while the program was busy.
 */
export function createQuietTimer(call: () => void): QuietTimer {
  let timer: NodeJS.Timeout | undefined
  let turn: NodeJS.Immediate | undefined

  function cancel(): void {
    clearTimeout(timer)
    clearImmediate(turn)
  }

  return {
    at(timeMs) {
      cancel()
      if (timeMs === null) return
      const afterInput = () => {
        // Between a timer and the next immediate the event loop reads all input that is ready.
        turn = setImmediate(call)
      }
      timer = setTimeout(afterInput, Math.max(0, timeMs - Date.now()))
    },
    stop: cancel,
  }
}
