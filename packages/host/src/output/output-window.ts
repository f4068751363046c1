export interface OutputSnapshot {
  readonly totalBytes: number
  readonly head: Buffer
  readonly tail: Buffer
  /** Bytes between head and tail that memory no longer has: `totalBytes = head + omitted + tail`. */
  readonly omittedBytes: number
  /** Line ends in all of the output. */
  readonly lineEnds: number
}

/** Creates a window that keeps the first and last bytes of a stream of any length, and counts the rest. */
export function createOutputWindow(headBytes: number, tailBytes: number) {
  const head = createHead(headBytes)
  const tail = createTail(tailBytes)
  let totalBytes = 0
  let lineEnds = 0
  return {
    push(chunk: Buffer): void {
      totalBytes += chunk.length
      lineEnds += countLineEnds(chunk)
      tail.push(chunk.subarray(head.push(chunk)))
    },
    totalBytes: () => totalBytes,
    snapshot(): OutputSnapshot {
      const first = head.bytes()
      const last = tail.bytes()
      return { totalBytes, head: first, tail: last, omittedBytes: totalBytes - first.length - last.length, lineEnds }
    },
  }
}

/** Counts byte by byte: `indexOf` costs more for the short lines of a flood. */
function countLineEnds(chunk: Buffer): number {
  let lineEnds = 0
  for (let at = 0; at < chunk.length; at++) if (chunk[at] === 10) lineEnds++
  return lineEnds
}

/** Creates a buffer that grows by doubling: most output is short, and many small chunks need few buffers. */
function createHead(limit: number) {
  let store = Buffer.alloc(0)
  let used = 0
  return {
    /** Returns how many bytes of the chunk it took. */
    push(chunk: Buffer): number {
      const taken = Math.min(chunk.length, limit - used)
      if (used + taken > store.length) {
        const larger = Buffer.allocUnsafeSlow(Math.min(limit, Math.max(4096, 2 * (used + taken))))
        store.copy(larger, 0, 0, used)
        store = larger
      }
      used += chunk.copy(store, used, 0, taken)
      return taken
    },
    bytes: () => Buffer.from(store.subarray(0, used)),
  }
}

function createTail(limit: number) {
  let ring: Buffer | null = null
  let used = 0
  let next = 0
  return {
    push(chunk: Buffer): void {
      const kept = limit === 0 ? chunk.subarray(0, 0) : chunk.subarray(-limit)
      if (kept.length === 0) return
      ring ??= Buffer.allocUnsafeSlow(limit)
      const first = kept.copy(ring, next)
      kept.copy(ring, 0, first)
      next = (next + kept.length) % limit
      used = Math.min(limit, used + kept.length)
    },
    bytes(): Buffer {
      if (ring === null) return Buffer.alloc(0)
      return used < limit
        ? Buffer.from(ring.subarray(0, used))
        : Buffer.concat([ring.subarray(next), ring.subarray(0, next)])
    },
  }
}

export interface OutputSlice {
  readonly bytes: Buffer
  /** Offset of `bytes` in the whole output; greater than requested when that part is no longer in memory. */
  readonly fromByte: number
  readonly totalBytes: number
}

/** Returns up to `maxBytes` of the output in memory, from `fromByte` on; without `fromByte`, the last bytes. */
export function sliceOutput(output: OutputSnapshot, maxBytes: number, fromByte?: number): OutputSlice {
  const { totalBytes, head, tail, omittedBytes } = output
  const wanted = Math.min(Math.max(fromByte ?? totalBytes - maxBytes, 0), totalBytes)
  const kept = omittedBytes === 0 ? { bytes: Buffer.concat([head, tail]), at: 0 } : pickPart(output, wanted)
  const start = Math.max(wanted, kept.at)
  const bytes = kept.bytes.subarray(start - kept.at, start - kept.at + maxBytes)
  return { bytes, fromByte: start, totalBytes }
}

function pickPart({ totalBytes, head, tail }: OutputSnapshot, wanted: number): { bytes: Buffer; at: number } {
  return wanted < head.length ? { bytes: head, at: 0 } : { bytes: tail, at: totalBytes - tail.length }
}
