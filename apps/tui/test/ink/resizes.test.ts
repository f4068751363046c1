import { Writable } from 'node:stream'
import type { WriteStream } from 'node:tty'
import { virtualScreen } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { createInkPainter } from '../../src/ink/ink-painter.tsx'
import { createEarlyPainter, type Painter } from '../../src/terminal/painter.ts'
import { emptyZone } from '../../src/view/live-zone.ts'
import type { Screen, TerminalSize } from '../../src/view/screen.ts'
import { ansiTheme } from '../../src/view/text/theme.ts'

/** Returns numbers below `limit` that depend on the seed alone. */
function random(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

function frame(settled: readonly string[], live: readonly string[], caretRow: number): Screen {
  return {
    settled: settled.length === 0 ? [] : [{ kind: 'message', lines: settled.map((text) => [{ text }]) }],
    live: { ...emptyZone, composer: live.map((text) => (text === '' ? [] : [{ text }])) },
    caret: { part: 'composer', row: caretRow, column: 2 },
    approvalId: null,
    isSeen: false,
    changesAtMs: null,
    theme: ansiTheme,
  }
}

interface Terminal {
  readonly stdout: WriteStream
  /** Gives the terminal another size once all that was written has been taken in, and reports it. */
  resize(size: TerminalSize, painter: Painter): Promise<void>
  transcript(): Promise<readonly string[]>
}

function terminal({ columns, rows }: TerminalSize): Terminal {
  const screen = virtualScreen({ cols: columns, rows })
  let fed = Promise.resolve()
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      fed = screen.feed(chunk.toString().replaceAll(/\r?\n/g, '\r\n'))
      done()
    },
  })
  const taken = async () => {
    // Ink writes some frames a millisecond later, in a timer.
    for (let before = -1; before !== screen.byteCount(); ) {
      before = screen.byteCount()
      await new Promise((resolve) => setTimeout(resolve, 3))
      await fed
    }
  }
  return {
    stdout: Object.assign(stream, { isTTY: true, columns, rows }) as unknown as WriteStream,
    async resize(size, painter) {
      await taken()
      screen.resize({ cols: size.columns, rows: size.rows })
      painter.resized({ ...size, cursor: screen.cursor() }, true)
    },
    transcript: async () => {
      await taken()
      return screen.transcript()
    },
  }
}

const first = { columns: 80, rows: 24 }
const blank = frame([], ['', '> typed', 'status'], 1)
const painters: readonly { name: string; make: (to: Terminal) => Painter }[] = [
  { name: 'Ink', make: ({ stdout }) => createInkPainter({ stdout, stdin: process.stdin }, blank) },
  { name: 'the early painter', make: ({ stdout }) => createEarlyPainter((text) => stdout.write(text)) },
]

describe.each(painters)('$name', ({ make }) => {
  test.each(Array.from({ length: 20 }, (_, seed) => seed + 1))(
    'keeps each finished row once through any sizes (seed %i)',
    async (seed) => {
      const next = random(seed)
      const to = terminal(first)
      const painter = make(to)
      const finished: string[] = []
      let size = first
      for (let step = 0; step < 30; step++) {
        const settled = Array.from({ length: next(4) }, () => {
          const row = `row ${finished.length}:${'x'.repeat(next(size.columns - 10))}`
          finished.push(row)
          return row
        })
        const running = Array.from({ length: next(Math.max(1, size.rows - 7)) }, () => 'y'.repeat(next(size.columns)))
        painter.paint(
          frame(settled, ['', ...running, '> typed', '', 'z'.repeat(next(size.columns))], running.length + 1),
        )
        if (next(2) === 0) continue
        for (let sizes = next(3); sizes >= 0; sizes--) {
          size = { columns: 20 + next(100), rows: 8 + next(30) }
          await to.resize(size, painter)
        }
      }
      painter.paint(blank)
      const transcript = await to.transcript()
      expect(transcript.filter((row) => row.startsWith('row '))).toEqual(finished)
      painter.close()
    },
  )
})
