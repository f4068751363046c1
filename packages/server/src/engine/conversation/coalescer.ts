import type { Clock } from '../../ports/clock.ts'

/** At most about 30 deltas a second reach the log; the first of a burst goes at once. */
const intervalMs = 33
/** A longer text is sent in pieces, so that no reader has to take a line of megabytes at once. */
const pieceLength = 64 * 1024

/** Joins text that comes faster than anyone reads. */
export interface Coalescer {
  push(text: string): void
  /** Sends what is held. */
  flush(): void
  /** Nothing is sent any more; returns what was held. */
  stop(): string
}

export function createCoalescer(clock: Clock, emit: (text: string) => void): Coalescer {
  let held: string[] = []
  let lastMs = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | null = null

  function flush(): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (held.length === 0) return
    const text = held.join('')
    held = []
    lastMs = clock.elapsed()
    for (const piece of piecesOf(text)) emit(piece)
  }

  return {
    push(text) {
      held.push(text)
      if (timer !== null) return
      const waitMs = lastMs + intervalMs - clock.elapsed()
      if (waitMs <= 0) flush()
      else timer = setTimeout(flush, waitMs)
    },
    flush,
    stop() {
      if (timer !== null) clearTimeout(timer)
      timer = null
      const text = held.join('')
      held = []
      return text
    },
  }
}

/** Never cut between the two halves of a character. */
function piecesOf(text: string): string[] {
  const pieces: string[] = []
  for (let start = 0; start < text.length; ) {
    const end = start + pieceLength
    const isHalf = /[\ud800-\udbff]/.test(text.charAt(end - 1)) && end < text.length
    pieces.push(text.slice(start, isHalf ? end - 1 : end))
    start = isHalf ? end - 1 : end
  }
  return pieces
}
