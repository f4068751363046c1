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
