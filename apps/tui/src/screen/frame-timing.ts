/** The shortest time between two frames that were not asked for by a key. */
const frameMs = 33

/** When to paint: at once for a key, once per frame for events, and when time alone changes the screen. */
export interface Frames {
  now(): void
  soon(): void
  /** Paints at this time, in ms since the epoch, unless that happens before for another reason. */
  at(timeMs: number | null): void
  /** Paints nothing for this long, whatever asks for it, and then at once. */
  hold(holdMs: number): void
  areHeld(): boolean
  stop(): void
}

export function createFrames(paint: () => void): Frames {
  let frame: NodeJS.Timeout | null = null
  let alarm: NodeJS.Timeout | undefined
  let lastMs = Number.NEGATIVE_INFINITY
  let held: NodeJS.Timeout | null = null
  let stopped = false

  function now(): void {
    if (stopped || held !== null) return
    if (frame !== null) clearTimeout(frame)
    frame = null
    lastMs = performance.now()
    paint()
  }

  return {
    now,
    soon() {
      if (frame === null && held === null && !stopped)
        frame = setTimeout(now, Math.max(0, lastMs + frameMs - performance.now()))
    },
    at(timeMs) {
      clearTimeout(alarm)
      if (timeMs !== null && !stopped) alarm = setTimeout(now, Math.max(frameMs, timeMs - Date.now()))
    },
    hold(holdMs) {
      if (held !== null) clearTimeout(held)
      held = setTimeout(() => {
        held = null
        now()
      }, holdMs)
    },
    areHeld: () => held !== null,
    stop() {
      stopped = true
      if (held !== null) clearTimeout(held)
      if (frame !== null) clearTimeout(frame)
      clearTimeout(alarm)
    },
  }
}

/** Says when no key has come up to some time. */
export interface Quiet {
  /** Waits until this time, in ms since the epoch, instead of the one before; null waits for nothing. */
  at(timeMs: number | null): void
  stop(): void
}

/**
 * Calls only after what can be read by then has been read: where the program was held up, the key that came in time is
 * taken first, and puts the wait off or ends it.
 */
export function createQuiet(call: () => void): Quiet {
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
      timer = setTimeout(
        () => {
          // Between a timer and the next immediate the event loop reads every input that is ready.
          turn = setImmediate(call)
        },
        Math.max(0, timeMs - Date.now()),
      )
    },
    stop: cancel,
  }
}
