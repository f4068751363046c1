import { setTimeout as delay } from 'node:timers/promises'
import type { Pty } from '@parley/testkit'

export interface Typing {
  readonly text: string
  readonly gapMs: number
  /** Delay in ms between press and arrival of a key; keys stay in order. */
  readonly jitterMs: number
}

/**
 * Presses a key every `gapMs`, delivered late by a fixed sequence of fractions of the jitter. Resolves to the longest
 * time between two deliveries: a busy machine makes it longer than it was meant to be.
 */
export async function typeSlowly(pty: Pty, { text, gapMs, jitterMs }: Typing): Promise<number> {
  const begun = performance.now() + leadMs
  let longestMs = 0
  let lastMs: number | null = null
  for (const [index, key] of [...text].entries()) {
    const dueMs = begun + index * gapMs + jitterMs * (lateness[index % lateness.length] ?? 0)
    // The rate of the keys is what the test is about.
    await delay(Math.max(0, dueMs - performance.now()))
    pty.write(key)
    const nowMs = performance.now()
    longestMs = Math.max(longestMs, lastMs === null ? 0 : nowMs - lastMs)
    lastMs = nowMs
  }
  return longestMs
}

/** Keys that follow an arrow at once are no answer anyway. */
const leadMs = 200

/** The first key comes at once and the second late, which is the worst there is for a letter that waits. */
const lateness = [0, 0.9, 0.1, 1, 0.4, 0, 0.7]
