import { virtualScreen } from '@parley/testkit'
import { isLong } from '@parley/testkit/long-runs'
import { describe, expect, test } from 'vitest'
import { createInkPainter } from '../../src/ink/ink-painter.tsx'
import { createEarlyPainter, type Painter } from '../../src/terminal/painter.ts'
import { ZoneWriter } from '../../src/terminal/zone-writer.ts'
import { emptyZone } from '../../src/view/live-zone.ts'
import type { Screen, TerminalSize } from '../../src/view/screen.ts'
import { ansiTheme } from '../../src/view/text/theme.ts'
import { random } from '../screen/seeded-random.ts'

function frame(settled: readonly string[], live: readonly string[], caretRow: number): Screen {
  return {
    settled: settled.length === 0 ? [] : [{ kind: 'message', lines: settled.map((text) => [{ text }]) }],
    live: { ...emptyZone, composer: live.map((text) => (text === '' ? [] : [{ text }])) },
    caret: { part: 'composer', row: caretRow, column: 2 },
    approvalId: null,
    isSeen: false,
    changesAtMs: null,
    theme: ansiTheme,
    ambiguous: 1,
  }
}

interface Terminal {
  readonly zone: ZoneWriter
  /** Gives the terminal another size once all that was written has been taken in, and erases the live zone there. */
  resize(size: TerminalSize): Promise<void>
  transcript(): Promise<readonly string[]>
}

function terminal({ columns, rows }: TerminalSize): Terminal {
  const screen = virtualScreen({ cols: columns, rows })
  let fed = screen.feed('\x1b[?7l')
  const zone = new ZoneWriter((text) => {
    fed = screen.feed(text)
  }, 'shift')
  return {
    zone,
    async resize(size) {
      await fed
      screen.resize({ cols: size.columns, rows: size.rows })
      for (let left: number | null = null; left !== 0; ) {
        const at = { ...size, cursor: screen.cursor() }
        const steps: number = zone.stepsUp(left)
        fed = screen.feed(zone.climb(steps))
        await fed
        left = zone.climbed(steps, at)
      }
      zone.eraseBelow(size)
    },
    async transcript() {
      await fed
      return screen.transcript()
    },
  }
}

const first = { columns: 80, rows: 24 }
const blank = frame([], ['', '> typed', 'status'], 1)
const painters: readonly { name: string; make: (to: Terminal) => Painter }[] = [
  { name: 'Ink', make: ({ zone }) => createInkPainter(zone, process.stdin) },
  { name: 'the early painter', make: ({ zone }) => createEarlyPainter(zone) },
]

describe.each(painters)('$name', ({ make }) => {
  test.each(Array.from({ length: isLong ? 20 : 10 }, (_, seed) => seed + 1))(
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
        // Some end in a blank: Ink leaves it out, and then the terminal may keep in one row what would not fit with it.
        const running = Array.from({ length: next(Math.max(1, size.rows - 7)) }, () =>
          `${'y'.repeat(next(size.columns))} `.slice(0, -next(2) || undefined),
        )
        painter.paint(
          frame(settled, ['', ...running, '> typed', '', 'z'.repeat(next(size.columns))], running.length + 1),
          size.columns,
        )
        if (next(2) === 0) continue
        for (let sizes = next(3); sizes >= 0; sizes--) {
          size = { columns: 20 + next(100), rows: 8 + next(30) }
          await to.resize(size)
        }
      }
      painter.paint(blank, size.columns)
      const transcript = await to.transcript()
      expect(transcript.filter((row) => row.startsWith('row '))).toEqual(finished)
      expect(transcript.filter((row) => /^z|typed/.test(row)).length).toBeLessThanOrEqual(1)
      painter.close()
    },
  )
})
