import { WriteStream } from 'node:tty'
import { holdTerminal } from '../terminal/hold-terminal.ts'
import { processTerminal, setRawMode } from '../terminal/port.ts'
import { gatherBurst, noBurst } from '../ui/keys/burst.ts'
import { decode, flush, flushAfterMs, idleDecoder, pendingOf } from '../ui/keys/decoder.ts'
import type { KeyEvent } from '../ui/keys/key-event.ts'
import type { Stage } from './screen-controller.ts'

interface HeldScreen extends TerminalHands, Disposable {}

interface ScreenParts extends KeyListener {
  readonly stage: Stage
  readonly colours: boolean
  readonly onError: (error: unknown) => void
}

/** The terminal's modes, its keys and the live zone on it: taken together, given back together. */
export function holdScreen({ stage, colours, onError, ...listener }: ScreenParts): HeldScreen {
  const { stdin, stdout } = process
  const held = holdTerminal(processTerminal(stdout.fd))
  // So a read of a terminal that has gone ends; it may be told when the keys are no longer read.
  stdin.on('error', listener.onEnd)
  let keys: KeyReader | null = readKeys(stdin, listener)
  const release = () => {
    keys?.stop()
    keys = null
    stage.yieldTerminal()
    held.leave()
  }
  return {
    release,
    take() {
      if (keys !== null) return
      held.enter()
      keys = readKeys(stdin, listener)
      loadInk(stage, colours).catch(onError)
    },
    [Symbol.dispose]() {
      release()
      held[Symbol.dispose]()
    },
  }
}

/** The composer is on the screen and takes keys while Ink, the largest part of the program, is read in. */
export async function loadInk(stage: Stage, colours: boolean): Promise<void> {
  const { createInkPainter } = await import('../ink/ink-painter.tsx')
  // Node tells its own stream of a new size at once, and Ink would draw; this one is told when the size stands.
  const stdout = new WriteStream(process.stdout.fd)
  // A terminal that has gone is told by the end of its keys.
  stdout.on('error', () => undefined)
  stage.handOver((first) => createInkPainter({ stdout, stdin: process.stdin }, first, colours))
}

/** What is done with the terminal around a stop. Both do nothing twice. */
interface TerminalHands {
  readonly release: () => void
  readonly take: () => void
}

/** Long enough for the stop to come first. */
const stopWithinMs = 50

/** Ctrl+Z: gives the terminal back and stops the whole job; takes it again when the shell continues it. */
export function createSuspension({ release, take }: TerminalHands): Disposable & { suspend(): void } {
  let timer: NodeJS.Timeout | undefined
  // Stopped from outside: meanwhile the shell has had the terminal.
  const onContinue = () => {
    release()
    take()
  }
  process.on('SIGCONT', onContinue)
  return {
    suspend() {
      release()
      process.kill(0, 'SIGTSTP')
      // The system ignores the stop where no shell could continue the job: then this is the way back.
      timer = setTimeout(take, stopWithinMs)
    },
    [Symbol.dispose]() {
      clearTimeout(timer)
      process.off('SIGCONT', onContinue)
    },
  }
}

interface KeyReader {
  readonly stop: () => void
}

interface KeyListener {
  readonly onKeys: (events: readonly KeyEvent[]) => void
  /** The terminal has gone. */
  readonly onEnd: () => void
}

/** Puts the terminal into raw mode and decodes what it sends. */
function readKeys(stdin: NodeJS.ReadStream, { onKeys, onEnd }: KeyListener): KeyReader {
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
