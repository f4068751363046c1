import { setImmediate as nextTurn } from 'node:timers/promises'

/** Time after which long work lets other tasks run, ms. */
const SLICE_MS = 8

/** Slices of long work: between two of them other tasks of the process run. */
export interface TimeSlices {
  /** Returns true once the slice is used up. */
  isOver(): boolean
  /** Resolves in the next slice. */
  next(): Promise<void>
}

/** Begins the first slice. `pauseMs`: idle time between two slices, for work without a waiting caller. */
export function timeSlices(pauseMs = 0): TimeSlices {
  let endsMs = performance.now() + SLICE_MS
  return {
    isOver: () => performance.now() >= endsMs,
    async next() {
      await (pauseMs === 0 ? nextTurn() : new Promise((resolve) => setTimeout(resolve, pauseMs).unref()))
      endsMs = performance.now() + SLICE_MS
    },
  }
}
