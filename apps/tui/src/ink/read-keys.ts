import { setRawMode } from '../terminal/port.ts'
import { gatherBurst, noBurst } from '../ui/keys/burst.ts'
import { decode, flush, flushAfterMs, idleDecoder, pendingOf } from '../ui/keys/decoder.ts'
import type { KeyEvent } from '../ui/keys/key-event.ts'

export interface KeyReader {
  readonly stop: () => void
}

export interface KeyListener {
  readonly onKeys: (events: readonly KeyEvent[]) => void
  /** The terminal has gone. */
  readonly onEnd: () => void
}

/** Puts the terminal into raw mode and decodes what it sends. */
export function readKeys(stdin: NodeJS.ReadStream, { onKeys, onEnd }: KeyListener): KeyReader {
  let decoder = idleDecoder
  let burst = noBurst
  let timer: NodeJS.Timeout | undefined

  function deliver(events: readonly KeyEvent[]): void {
    const gathered = gatherBurst(burst, events, performance.now())
    burst = gathered.burst
    if (gathered.events.length > 0) onKeys(gathered.events)
  }

  function take(decoded: ReturnType<typeof flush>): void {
    clearTimeout(timer)
    decoder = decoded.decoder
    const pending = pendingOf(decoder)
    if (pending !== 'nothing') timer = setTimeout(() => take(flush(decoder)), flushAfterMs[pending])
    deliver(decoded.events)
  }

  const onData = (chunk: Buffer) => take(decode(decoder, chunk))
  setRawMode(stdin, true)
  stdin.on('data', onData)
  stdin.on('end', onEnd)
  stdin.resume()
  return {
    stop() {
      clearTimeout(timer)
      stdin.off('data', onData)
      stdin.off('end', onEnd)
      setRawMode(stdin, false)
      stdin.pause()
    },
  }
}
