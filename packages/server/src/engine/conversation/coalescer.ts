import type { Clock } from '../../ports/clock.ts'

/** Interval between deltas in ms: at most 30 a second reach the log; the first of a burst is sent at once. */
const intervalMs = 33
/** Characters per delta; longer text is sent in pieces, so that no client receives a line of megabytes. */
const pieceLength = 64 * 1024

/** Joins streamed text into fewer, larger deltas. */
export interface Coalescer {
  push(text: string): void
  /** Sends the held text. */
  flush(): void
  /** Stops sending and returns the held text. */
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

/** Splits text into pieces without cutting a surrogate pair. */
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
