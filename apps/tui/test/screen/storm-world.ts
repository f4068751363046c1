import { type ConversationState, reduce } from '@parley/protocol'
import { virtualScreen } from '@parley/testkit'
import { vi } from 'vitest'
import { ScreenController } from '../../src/screen/screen-controller.ts'
import { createEarlyPainter, type Painter } from '../../src/terminal/painter.ts'
import { ZoneWriter } from '../../src/terminal/zone-writer.ts'
import { decode, idleDecoder } from '../../src/ui/keys/decoder.ts'
import type { Intent } from '../../src/ui/state/actions.ts'
import type { Reflow } from '../../src/view/erase-zone.ts'
import type { TerminalSize } from '../../src/view/screen.ts'
import { after, answer, delta, started, turnStarted } from '../view/scenes/conversation.ts'
import { paragraphs } from './marked-paragraphs.ts'

/** Line between program and terminal, which delivers in order; each delivery takes some milliseconds. */
interface Line {
  send(deliver: () => void | Promise<void>): void
  deliverDue(): Promise<void>
}

function line(delayMs: () => number): Line {
  let queue: readonly { readonly dueMs: number; readonly deliver: () => void | Promise<void> }[] = []
  return {
    send(deliver) {
      const dueMs = Math.max(queue.at(-1)?.dueMs ?? 0, performance.now() + delayMs())
      queue = [...queue, { dueMs, deliver }]
    },
    async deliverDue() {
      for (let [first] = queue; first !== undefined && first.dueMs <= performance.now(); [first] = queue) {
        queue = queue.slice(1)
        await first.deliver()
      }
    },
  }
}

/** A controller whose terminal is xterm.js, behind lines that take time, on a clock that the test drives. */
export interface StormWorld extends Disposable {
  readonly controller: ScreenController
  /** Gives the terminal another size, of which the program hears later. */
  resize(size: TerminalSize): void
  pass(forMs: number): Promise<void>
  transcript(): readonly string[]
  written(): string
}

interface WorldOptions {
  readonly size: TerminalSize
  readonly next: (limit: number) => number
  readonly maker?: (zone: ZoneWriter) => Painter
  readonly reflow?: Reflow
  readonly onIntent?: (intent: Intent) => void
}

export function stormWorld({
  size,
  next,
  maker = createEarlyPainter,
  reflow = 'shift',
  onIntent = () => undefined,
}: WorldOptions): StormWorld {
  let told = size
  let written = ''
  // A busy terminal reads late now and then.
  const output = line(() => (next(20) === 0 ? next(25) : next(3)))
  const input = line(() => next(3))
  const reports = line(() => (next(4) === 0 ? next(250) : next(4)))
  const screen = virtualScreen({
    cols: size.columns,
    rows: size.rows,
    answer: (text) => input.send(() => controller.press(decode(idleDecoder, Buffer.from(text)).events)),
  })
  const write = (text: string) => {
    written += text
    output.send(async () => {
      const fed = screen.feed(text)
      await vi.advanceTimersByTimeAsync(0)
      await fed
    })
  }
  const zone = new ZoneWriter(write, reflow)
  const hear = (heard: TerminalSize) => {
    if (heard.columns === told.columns && heard.rows === told.rows) return
    told = heard
    controller.resized()
  }
  const controller = new ScreenController({
    painter: maker(zone),
    zone,
    size: () => told,
    measure: () => undefined,
    write,
    homeFolder: '/home/ada',
    colours: 'sixteen',
    loadHighlight: () => Promise.resolve(() => null),
    signal: () => undefined,
    onIntent,
    setAlternate: (isUsed) => write(isUsed ? '\x1b[?1049h\x1b[2J' : '\x1b[?1049l'),
    onUncovered: () => undefined,
  })
  return {
    controller,
    resize(to) {
      // The terminal takes in at the new size the bytes that it has not read yet.
      screen.resize({ cols: to.columns, rows: to.rows })
      reports.send(() => hear(to))
    },
    async pass(forMs) {
      for (let ms = 0; ms < forMs; ms++) {
        await vi.advanceTimersByTimeAsync(1)
        await reports.deliverDue()
        await output.deliverDue()
        await input.deliverDue()
      }
    },
    transcript: () => screen.transcript(),
    written: () => written,
    [Symbol.dispose]() {
      controller[Symbol.dispose]()
      screen[Symbol.dispose]()
    },
  }
}

/** States of a conversation while an answer of so many paragraphs arrives in pieces. */
export function* arriving(count: number, pieceLength: number): Generator<ConversationState> {
  let state = after(turnStarted, started(answer('', 'm1', 'inProgress')))
  let seq = 3
  const text = paragraphs(count)
  for (let at = 0; at < text.length; at += pieceLength) {
    seq += 1
    const event = delta('m1', text.slice(at, at + pieceLength))
    state = reduce(state, { conversationId: 'c', seq, at: Date.now(), event })
    yield state
  }
}
