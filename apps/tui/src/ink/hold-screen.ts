import { WriteStream } from 'node:tty'
import { holdTerminal } from '../terminal/hold-terminal.ts'
import { processTerminal } from '../terminal/port.ts'
import { type KeyListener, type KeyReader, readKeys } from './read-keys.ts'
import type { Stage } from './stage.ts'
import type { TerminalHands } from './suspension.ts'

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
  const { createInkPainter } = await import('./ink-painter.tsx')
  // Node tells its own stream of a new size at once, and Ink would draw; this one is told when the size stands.
  const stdout = new WriteStream(process.stdout.fd)
  // A terminal that has gone is told by the end of its keys.
  stdout.on('error', () => undefined)
  stage.handOver((first) => createInkPainter({ stdout, stdin: process.stdin }, first, colours))
}
