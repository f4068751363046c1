import { holdTerminal } from '../terminal/hold-terminal.ts'
import { bracketsPastes, processTerminal, setRawMode } from '../terminal/port.ts'
import { enterTypedBefore, gatherBurst, noBurst } from '../ui/keys/burst.ts'
import { decode, flush, flushAfterMs, idleDecoder, pendingOf } from '../ui/keys/decoder.ts'
import type { KeyEvent } from '../ui/keys/key-event.ts'
import type { ScreenController } from './screen-controller.ts'

/** Terminal of this process, given to another program and taken back. Repeated calls do nothing. */
export interface LendableTerminal {
  readonly release: () => void
  readonly take: () => void
}

interface HeldScreen extends LendableTerminal, Disposable {
  readonly setAlternate: (isUsed: boolean) => void
}

/** Takes the terminal's modes, its keys and the live zone on it; `release` gives all of them back. */
export function holdScreen(
  controller: ScreenController,
  handPainterOver: () => void,
  listener: KeyListener,
): HeldScreen {
  const { stdin, stdout } = process
  const held = holdTerminal(processTerminal(stdout.fd))
  // Reading from a closed terminal fails, and the error may come after the keys are no longer read.
  stdin.on('error', listener.onEnd)
  const keyListener: KeyListener = {
    onEnd: listener.onEnd,
    onKeys(events) {
      if (events.some((event) => event.kind === 'reply' && event.reply.type === 'kittyFlags')) held.enableKittyKeys()
      listener.onKeys(events)
    },
  }
  let keys: KeyReader | null = readKeys(stdin, keyListener, performance.now())
  const release = () => {
    keys?.stop()
    keys = null
    controller.yieldTerminal()
    held.leave()
  }
  return {
    release,
    setAlternate: held.setAlternate,
    take() {
      if (keys !== null) return
      held.enter()
      keys = readKeys(stdin, keyListener, null)
      handPainterOver()
    },
    [Symbol.dispose]() {
      release()
      held[Symbol.dispose]()
    },
  }
}

/** Time after which the terminal is taken again if the process was not stopped. */
const stopWithinMs = 50

/** Creates the effect of Ctrl+Z: releases the terminal, stops the process group, and takes it when the shell resumes. */
export function createSuspension({ release, take }: LendableTerminal): Disposable & { suspend(): void } {
  let timer: NodeJS.Timeout | undefined
  // A stop from outside releases nothing, and the shell has changed the terminal's modes meanwhile.
  const onContinue = () => {
    release()
    take()
  }
  process.on('SIGCONT', onContinue)
  return {
    suspend() {
      release()
      process.kill(0, 'SIGTSTP')
      // The system ignores the stop if no shell could resume the process.
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
  /** Called when the terminal is closed. */
  readonly onEnd: () => void
}

/**
 * Sets raw mode and decodes the terminal's input until `stop`. `startedMs`: time of the program's start on a steady clock,
 * right after which input comes that was typed before; null later.
 */
function readKeys(stdin: NodeJS.ReadStream, { onKeys, onEnd }: KeyListener, startedMs: number | null): KeyReader {
  let decoder = idleDecoder
  let burst = noBurst
  let hasBrackets = bracketsPastes(process.env)
  let timer: NodeJS.Timeout | undefined
  let rawSinceMs = startedMs

  function deliver(events: readonly KeyEvent[]): void {
    // Where the terminal brackets pastes, text without brackets was typed, however fast it came.
    hasBrackets ||= events.some(({ kind }) => kind === 'paste')
    const gathered = hasBrackets ? { burst, events } : gatherBurst(burst, events, performance.now())
    burst = gathered.burst
    if (gathered.events.length > 0) onKeys(gathered.events)
  }

  function take(decoded: ReturnType<typeof flush>): void {
    clearTimeout(timer)
    decoder = decoded.decoder
    const pending = pendingOf(decoder)
    if (pending !== 'nothing') timer = setTimeout(() => take(flush(decoder)), flushAfterMs[pending])
    const rawForMs = rawSinceMs === null ? Number.POSITIVE_INFINITY : performance.now() - rawSinceMs
    rawSinceMs = null
    const { events, enter } = enterTypedBefore(decoded.events, rawForMs)
    deliver(events)
    if (enter !== null) onKeys([enter])
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
