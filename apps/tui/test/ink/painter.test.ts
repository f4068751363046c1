import { Writable } from 'node:stream'
import type { WriteStream } from 'node:tty'
import { virtualScreen, waitUntil } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { createInkPainter } from '../../src/ink/ink-painter.tsx'
import { createEarlyPainter, type Painter } from '../../src/terminal/painter.ts'
import { emptyZone } from '../../src/view/live-zone.ts'
import type { Screen } from '../../src/view/screen.ts'
import { ansiTheme } from '../../src/view/text/theme.ts'

const size = { cols: 60, rows: 20 }

interface Terminal {
  readonly screen: ReturnType<typeof virtualScreen>
  readonly stdout: WriteStream
  /** Resolves when all that was written has been taken in. */
  flushed(): Promise<void>
}

function terminal(): Terminal {
  const screen = virtualScreen(size)
  let fed = Promise.resolve()
  const write = (chunk: Buffer | string) => {
    // A terminal in its usual mode begins a new row at a line end.
    fed = screen.feed(chunk.toString().replaceAll(/\r?\n/g, '\r\n'))
  }
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      write(chunk)
      done()
    },
  })
  const stdout = Object.assign(stream, {
    isTTY: true,
    columns: size.cols,
    rows: size.rows,
  }) as unknown as WriteStream
  return { screen, stdout, flushed: () => fed }
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
  }
}

const composer = ['', '> typed', 'status']
const blank = frame([], composer)

const painters: readonly { name: string; make: (to: Terminal) => Painter }[] = [
  { name: 'Ink', make: ({ stdout }) => createInkPainter({ stdout, stdin: process.stdin }, blank) },
  { name: 'the early painter', make: ({ stdout }) => createEarlyPainter((text) => stdout.write(text)) },
]

describe.each(painters)('$name', ({ make }) => {
  test('stores each settled row once, in order, without a clear', async () => {
    const to = terminal()
    const painter = make(to)
    const rows = Array.from({ length: 3_000 }, (_, index) => `row ${index}`)
    for (let index = 0; index < rows.length; index += 25) {
      painter.paint(frame(rows.slice(index, index + 25), [`unfinished ${index}`, ...composer]))
      painter.paint(frame([], [`unfinished ${index}`, 'and more of it', ...composer]))
    }
    painter.close()
    await to.flushed()
    await waitUntil(() => to.screen.transcript().includes('row 2999'), { what: 'the last row' })
    expect(to.screen.transcript().filter((row) => row.startsWith('row '))).toEqual(rows)
    expect(to.screen.transcript().filter((row) => row.includes('unfinished') || row.includes('typed'))).toEqual([])
    expect(to.screen.clears()).toEqual({ scrollback: 0, screen: 0 })
  })

  test('puts the real cursor at the caret', async () => {
    const to = terminal()
    const painter = make(to)
    painter.paint(frame(['one', '', 'two'], ['working', ...composer]))
    painter.paint({ ...frame([], ['working', ...composer]), caret: { part: 'composer', row: 2, column: 7 } })
    await waitUntil(() => to.flushed().then(() => to.screen.cursor().column === 7), { what: 'the cursor' })
    expect(to.screen.screen()[to.screen.cursor().row]).toBe('> typed')
    expect(to.screen.screen().join('\n').trimStart()).toMatch(/^one\n\ntwo\n/)
    painter.close()
  })

  test('writes at most half as much again as the new text', async () => {
    const to = terminal()
    const painter = make(to)
    painter.paint(frame(['start'], composer))
    await to.flushed()
    const before = to.screen.byteCount()
    const text = Array.from({ length: 400 }, (_, index) => `${index} ${'lorem ipsum dolor sit '.repeat(2)}`)
    for (let index = 0; index < text.length; index += 20) painter.paint(frame(text.slice(index, index + 20), composer))
    await to.flushed()
    painter.close()
    expect(to.screen.byteCount() - before).toBeLessThan(1.5 * text.join('\r\n').length)
  })
})

test('rows that a narrower terminal wraps again are erased', async () => {
  const to = terminal()
  const painter = createInkPainter({ stdout: to.stdout, stdin: process.stdin }, blank)
  const wide = Array.from({ length: 4 }, (_, index) => `unfinished ${index} ${'x'.repeat(40)}`)
  painter.paint(frame(['finished'], [...wide, ...composer]))
  await waitUntil(() => to.flushed().then(() => to.screen.transcript().includes('finished')), {
    what: 'the first frame',
  })
  to.screen.resize({ cols: 30, rows: size.rows })
  painter.resized({ columns: 30, rows: size.rows }, true)
  painter.paint(frame([], ['unfinished now', ...composer]))
  await waitUntil(() => to.flushed().then(() => to.screen.transcript().includes('unfinished now')), {
    what: 'the second frame',
  })
  expect(to.screen.transcript()).toEqual(['finished', 'unfinished now', '', '> typed', 'status'])
  painter.close()
})

test('rows that a lower terminal dropped are drawn again', async () => {
  const to = terminal()
  const painter = createInkPainter({ stdout: to.stdout, stdin: process.stdin }, blank)
  const shown = { ...frame([], ['unfinished', ...composer]), caret: { part: 'composer', row: 2, column: 2 } as const }
  painter.paint({ ...shown, settled: frame(['finished'], []).settled })
  await waitUntil(() => to.flushed().then(() => to.screen.transcript().at(-1) === 'status'), {
    what: 'the first frame',
  })
  to.screen.resize({ cols: size.cols, rows: 4 })
  to.screen.resize({ cols: size.cols, rows: size.rows })
  expect(to.screen.transcript()).not.toContain('status')
  painter.resized({ columns: size.cols, rows: size.rows }, true)
  painter.paint(shown)
  await waitUntil(() => to.flushed().then(() => to.screen.transcript().at(-1) === 'status'), {
    what: 'the status line',
  })
  expect(to.screen.transcript().filter((row) => row !== '')).toEqual(['finished', 'unfinished', '> typed', 'status'])
  painter.close()
})

test('a frame like the one before writes nothing', async () => {
  const to = terminal()
  const painter = createInkPainter({ stdout: to.stdout, stdin: process.stdin }, blank)
  painter.paint(frame(['finished'], composer))
  await waitUntil(() => to.flushed().then(() => to.screen.transcript().at(-1) === 'status'), { what: 'the frame' })
  const before = to.screen.byteCount()
  painter.paint(frame([], composer))
  painter.paint(frame([], composer))
  await to.flushed()
  expect(to.screen.byteCount()).toBe(before)
  painter.close()
})

test('the Ink painter replaces the frame of the early painter', async () => {
  const to = terminal()
  const early = createEarlyPainter((text) => to.stdout.write(text))
  early.paint(frame(['hello'], composer))
  early.close()
  const painter = createInkPainter({ stdout: to.stdout, stdin: process.stdin }, frame([], composer))
  painter.paint(frame(['world'], composer))
  await waitUntil(() => to.flushed().then(() => to.screen.transcript().includes('world')), { what: 'the second row' })
  expect(to.screen.transcript()).toEqual(['', 'hello', 'world', '', '> typed', 'status'])
  painter.close()
})

test('a painter that goes on after another one leaves no blank row between', async () => {
  const to = terminal()
  for (let times = 0; times < 3; times++) {
    const painter = createInkPainter({ stdout: to.stdout, stdin: process.stdin }, frame([`row ${times}`], composer))
    painter.close(true)
  }
  createEarlyPainter((text) => to.stdout.write(text)).paint(frame(['row 3'], composer))
  await to.flushed()
  await waitUntil(() => to.screen.transcript().includes('row 3'), { what: 'the last row' })
  expect(to.screen.transcript().slice(0, 3)).toEqual(['row 0', 'row 1', 'row 2'])
})
