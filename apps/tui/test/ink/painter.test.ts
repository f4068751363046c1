import { virtualScreen, waitUntil } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { createInkPainter } from '../../src/ink/ink-painter.tsx'
import { createEarlyPainter, type Painter } from '../../src/terminal/painter.ts'
import { ZoneWriter } from '../../src/terminal/zone-writer.ts'
import { emptyZone } from '../../src/view/live-zone.ts'
import type { Screen } from '../../src/view/screen.ts'
import { ansiTheme } from '../../src/view/text/theme.ts'

const size = { cols: 60, rows: 20 }

interface Terminal {
  readonly screen: ReturnType<typeof virtualScreen>
  readonly zone: ZoneWriter
  /** Resolves when all that was written has been taken in. */
  flushed(): Promise<void>
}

function terminal(): Terminal {
  const screen = virtualScreen(size)
  let fed = Promise.resolve()
  const zone = new ZoneWriter((text) => {
    fed = screen.feed(text)
  }, 'wrap')
  return { screen, zone, flushed: () => fed }
}

function frame(settled: readonly string[], live: readonly string[]): Screen {
  return {
    settled:
      settled.length === 0
        ? []
        : [{ kind: 'message', lines: settled.map((text) => (text === '' ? [] : [{ text, tone: 'good' }])) }],
    live: { ...emptyZone, composer: live.map((text) => [{ text }]) },
    caret: { part: 'composer', row: live.length - 1, column: 2 },
    approvalId: null,
    isSeen: false,
    changesAtMs: null,
    theme: ansiTheme,
    ambiguous: 1,
  }
}

const composer = ['', '> typed', 'status']

const painters: readonly { name: string; make: (to: Terminal) => Painter }[] = [
  { name: 'Ink', make: ({ zone }) => createInkPainter(zone, process.stdin) },
  { name: 'the early painter', make: ({ zone }) => createEarlyPainter(zone) },
]

describe.each(painters)('$name', ({ make }) => {
  test('stores each settled row once, in order, without a clear', async () => {
    const to = terminal()
    const painter = make(to)
    const rows = Array.from({ length: 3_000 }, (_, index) => `row ${index}`)
    for (let index = 0; index < rows.length; index += 25) {
      painter.paint(frame(rows.slice(index, index + 25), [`unfinished ${index}`, ...composer]), size.cols)
      painter.paint(frame([], [`unfinished ${index}`, 'and more of it', ...composer]), size.cols)
    }
    painter.close()
    to.zone.erase({ columns: size.cols, rows: size.rows })
    await to.flushed()
    await waitUntil(() => to.screen.transcript().includes('row 2999'), { what: 'the last row' })
    expect(to.screen.transcript().filter((row) => row.startsWith('row '))).toEqual(rows)
    expect(to.screen.transcript().filter((row) => row.includes('unfinished') || row.includes('typed'))).toEqual([])
    expect(to.screen.clears()).toEqual({ scrollback: 0, screen: 0 })
  })

  test('puts the real cursor at the caret', async () => {
    const to = terminal()
    const painter = make(to)
    painter.paint(frame(['one', '', 'two'], ['working', ...composer]), size.cols)
    painter.paint({ ...frame([], ['working', ...composer]), caret: { part: 'composer', row: 2, column: 7 } }, size.cols)
    await waitUntil(() => to.flushed().then(() => to.screen.cursor().column === 7), { what: 'the cursor' })
    expect(to.screen.screen()[to.screen.cursor().row]).toBe('> typed')
    expect(to.screen.screen().join('\n').trimStart()).toMatch(/^one\n\ntwo\n/)
    painter.close()
  })

  test('leaves nothing behind a row whose ground has no colour here, and nothing above it after a resize', async () => {
    const to = terminal()
    const painter = make(to)
    const filled = [{ text: '- short' }, { text: ' '.repeat(size.cols - 7), ground: 'removed' }] as const
    const question = (row: Screen['live']['composer'][number]): Screen => ({
      ...frame([], []),
      live: { ...emptyZone, composer: [row, [{ text: '> typed' }]] },
      caret: { part: 'composer', row: 1, column: 2 },
    })
    painter.paint(frame(['finished'], ['a longer row that was here', '> typed']), size.cols)
    painter.paint(question([...filled]), size.cols)
    await waitUntil(() => to.flushed().then(() => to.screen.screen().some((row) => row.startsWith('- short'))), {
      what: 'the second frame',
    })
    expect(to.screen.transcript()).toEqual(['', 'finished', '- short', '> typed'])
    to.screen.resize({ cols: 30, rows: size.rows })
    to.zone.erase({ columns: 30, rows: size.rows })
    await waitUntil(() => to.flushed().then(() => !to.screen.transcript().includes('> typed')), { what: 'the erasure' })
    expect(to.screen.transcript()).toEqual(['', 'finished'])
    painter.close()
  })

  test('writes at most half as much again as the new text', async () => {
    const to = terminal()
    const painter = make(to)
    painter.paint(frame(['start'], composer), size.cols)
    await to.flushed()
    const before = to.screen.byteCount()
    const text = Array.from({ length: 400 }, (_, index) => `${index} ${'lorem ipsum dolor sit '.repeat(2)}`)
    for (let index = 0; index < text.length; index += 20)
      painter.paint(frame(text.slice(index, index + 20), composer), size.cols)
    await to.flushed()
    painter.close()
    expect(to.screen.byteCount() - before).toBeLessThan(1.5 * text.join('\r\n').length)
  })
})

test('rows that a narrower terminal wraps again are erased', async () => {
  const to = terminal()
  const painter = createInkPainter(to.zone, process.stdin)
  const wide = Array.from({ length: 4 }, (_, index) => `unfinished ${index} ${'x'.repeat(40)}`)
  painter.paint(frame(['finished'], [...wide, ...composer]), size.cols)
  await waitUntil(() => to.flushed().then(() => to.screen.transcript().includes('finished')), {
    what: 'the first frame',
  })
  to.screen.resize({ cols: 30, rows: size.rows })
  to.zone.erase({ columns: 30, rows: size.rows })
  painter.paint(frame([], ['unfinished now', ...composer]), 30)
  await waitUntil(() => to.flushed().then(() => to.screen.transcript().includes('unfinished now')), {
    what: 'the second frame',
  })
  expect(to.screen.transcript()).toEqual(['', 'finished', 'unfinished now', '', '> typed', 'status'])
  painter.close()
})

test('rows that a lower terminal dropped are drawn again', async () => {
  const to = terminal()
  const painter = createInkPainter(to.zone, process.stdin)
  const shown = { ...frame([], ['unfinished', ...composer]), caret: { part: 'composer', row: 2, column: 2 } as const }
  painter.paint({ ...shown, settled: frame(['finished'], []).settled }, size.cols)
  await waitUntil(() => to.flushed().then(() => to.screen.transcript().at(-1) === 'status'), {
    what: 'the first frame',
  })
  to.screen.resize({ cols: size.cols, rows: 4 })
  to.screen.resize({ cols: size.cols, rows: size.rows })
  expect(to.screen.transcript()).not.toContain('status')
  to.zone.erase({ columns: size.cols, rows: size.rows })
  painter.paint(shown, size.cols)
  await waitUntil(() => to.flushed().then(() => to.screen.transcript().at(-1) === 'status'), {
    what: 'the status line',
  })
  expect(to.screen.transcript().filter((row) => row !== '')).toEqual(['finished', 'unfinished', '> typed', 'status'])
  painter.close()
})

test('a frame like the one before writes nothing', async () => {
  const to = terminal()
  const painter = createInkPainter(to.zone, process.stdin)
  painter.paint(frame(['finished'], composer), size.cols)
  await waitUntil(() => to.flushed().then(() => to.screen.transcript().at(-1) === 'status'), { what: 'the frame' })
  const before = to.screen.byteCount()
  painter.paint(frame([], composer), size.cols)
  painter.paint(frame([], composer), size.cols)
  await to.flushed()
  expect(to.screen.byteCount()).toBe(before)
  painter.close()
})

test('the Ink painter replaces the frame of the early painter', async () => {
  const to = terminal()
  const early = createEarlyPainter(to.zone)
  early.paint(frame(['hello'], composer), size.cols)
  early.close()
  const painter = createInkPainter(to.zone, process.stdin)
  painter.paint(frame(['world'], composer), size.cols)
  await waitUntil(() => to.flushed().then(() => to.screen.transcript().includes('world')), { what: 'the second row' })
  expect(to.screen.transcript()).toEqual(['', 'hello', 'world', '', '> typed', 'status'])
  painter.close()
})
