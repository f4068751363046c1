import { setImmediate as nextTurn } from 'node:timers/promises'

/** Longest time without a turn for others, in ms. */
const sliceMs = 4
/** Steps between two looks at the clock. */
const stepsAtOnce = 8

/** Returns a function to call after each step of long work: it gives a turn to others when a slice of time is used up. */
export function slices(): () => Promise<void> | null {
  let steps = 0
  let beganMs = performance.now()
  return () => {
    steps += 1
    if (steps % stepsAtOnce !== 0 || performance.now() - beganMs < sliceMs) return null
    return nextTurn().then(() => {
      beganMs = performance.now()
    })
  }
}
