import type { OutputStream } from '@parley/host'

/** Where gathered bytes go. They are valid only during the call. */
export interface OutputSink {
  output(stream: OutputStream, bytes: Buffer): void
}

export interface Gatherer {
  take(sink: OutputSink, stream: OutputStream, chunk: Buffer): void
  /** Hands on what waits. Before anything is said that comes after it. */
  flush(): void
}

const gatheredBytes = 64 * 1024
/** Worth a message of its own. */
const largeBytes = 32 * 1024

/** What follows on a message waits so long for more. A key's echo is no burst, so it is not felt. */
const burstMs = 4

/**
 * A terminal gives 4 KiB at a time, and each message has its price: the first of a burst goes out at once, and what
 * follows it in larger pieces. One buffer for all processes, handed on when another process or stream speaks.
 */
export function createGatherer(): Gatherer {
  const buffer = Buffer.allocUnsafeSlow(gatheredBytes)
  let used = 0
  let from: { sink: OutputSink; stream: OutputStream } | null = null
  let scheduled = false
  let flushedAtMs = 0
  function flush(): void {
    if (from === null || used === 0) return
    const bytes = buffer.subarray(0, used)
    used = 0
    flushedAtMs = performance.now()
    from.sink.output(from.stream, bytes)
  }
  function schedule(): void {
    if (scheduled) return
    scheduled = true
    const run = () => {
      scheduled = false
      flush()
    }
    if (performance.now() - flushedAtMs < burstMs) setTimeout(run, burstMs)
    else setImmediate(run)
  }
  return {
    flush,
    take(sink, stream, chunk) {
      if (from?.sink !== sink || from.stream !== stream || used + chunk.length > gatheredBytes) flush()
      from = { sink, stream }
      if (used === 0 && chunk.length >= largeBytes) {
        sink.output(stream, chunk)
        return
      }
      used += chunk.copy(buffer, used)
      if (used === gatheredBytes) flush()
      else schedule()
    },
  }
}
