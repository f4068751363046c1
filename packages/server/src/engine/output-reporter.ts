import type { Clock } from '../ports/clock.ts'
import { createCoalescer } from './coalescer.ts'
import type { Conversation } from './conversation.ts'

const shownWholeBytes = 64 * 1024
const progressIntervalMs = 250
const progressTailLength = 2000

/** Output of a running command for people to watch: its first 64 KiB as deltas, then the count and the newest lines. */
export interface OutputReporter {
  report(chunk: Buffer): void
  /** After this nothing more is recorded. */
  stop(): void
}

export function createOutputReporter(conversation: Conversation, clock: Clock, itemId: string): OutputReporter {
  const decoder = new TextDecoder()
  const deltas = createCoalescer(clock, (text) => conversation.record({ type: 'item.delta', itemId, text }))
  let shownBytes = 0
  let totalBytes = 0
  let tail = ''
  let lastProgressMs = Number.NEGATIVE_INFINITY

  function showProgress(): void {
    const nowMs = clock.elapsed()
    if (nowMs - lastProgressMs < progressIntervalMs) return
    lastProgressMs = nowMs
    conversation.record({ type: 'item.progress', itemId, totalBytes, tail })
  }

  return {
    report(chunk) {
      totalBytes += chunk.length
      const text = decoder.decode(chunk, { stream: true })
      if (shownBytes + chunk.length <= shownWholeBytes) {
        shownBytes += chunk.length
        deltas.push(text)
        return
      }
      deltas.flush()
      shownBytes = shownWholeBytes
      tail = (tail + text).slice(-progressTailLength)
      showProgress()
    },
    stop() {
      deltas.flush()
      deltas.stop()
    },
  }
}
