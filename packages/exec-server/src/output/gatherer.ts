import type { OutputStream } from '@parley/host'

/** Receiver of gathered output. The bytes are valid only during the call. */
export interface OutputSink {
  output(stream: OutputStream, bytes: Buffer): void
}

const gatheredBytes = 64 * 1024
/** Size from which a chunk is sent without gathering. */
const largeBytes = 32 * 1024

/** Time after a message in which output waits for more. The echo of a key comes later, so it is not delayed. */
const burstMs = 4

/**
 * Joins output into fewer messages: the first chunk of a burst is sent at once, later ones in pieces of up to 64 KiB.
 * One buffer serves all processes and is flushed when another process or stream writes, and before any notification that
 * must follow it.
 */
export function createGatherer() {
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
    take(sink: OutputSink, stream: OutputStream, chunk: Buffer): void {
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
