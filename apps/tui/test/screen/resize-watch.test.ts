import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ResizeWatch } from '../../src/screen/resize-watch.ts'
import { createProbe } from '../../src/screen/terminal-probe.ts'
import { ZoneWriter } from '../../src/terminal/zone-writer.ts'

const wide = { columns: 80, rows: 24 }
const narrow = { columns: 60, rows: 16 }
const erasure = '\x1b[J'
const question = '\x1b[6n'

/** A terminal that answers when told to, with a live zone of a wide row above the caret's, and the watch over it. */
function watched(running = 'x'.repeat(70)) {
  let told = wide
  let written = ''
  const write = (text: string) => {
    written += text
  }
  const holdsMs: number[] = []
  const probe = createProbe(write)
  const zone = new ZoneWriter(write, 'wrap')
  const paint = vi.fn()
  const watch = new ResizeWatch({
    probe,
    zone,
    write,
    size: () => told,
    hold: (holdMs) => void holdsMs.push(holdMs),
    repaint: () => undefined,
  })
  const report = (row: number, column: number) =>
    probe.take({ kind: 'reply', reply: { type: 'cursor', row: row + 1, column: column + 1 } })
  /** Reports a cursor in the sixth row, two cells from the left, and then the size. */
  const answer = ({ columns, rows }: typeof wide) => {
    report(5, 2)
    report(rows - 1, columns - 1)
  }
  const frame = {
    settled: [],
    rows: [running, '> typed', 'status'],
    widths: [running.length, 7, 6],
    cursor: { row: 1, column: 2 },
    hasCaret: true,
    caretText: 't',
    columns: 80,
  }
  const draw = () => zone.paint(frame)
  watch.send(draw)
  if (written.includes(question)) answer(wide)
  written = ''
  return {
    watch,
    draw,
    answer,
    report,
    holdsMs,
    paint,
    /** Returns what was written since the last call. */
    written() {
      const text = written
      written = ''
      return text
    },
    tell(size: typeof wide) {
      told = size
      watch.resized()
    },
  }
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

describe('after a resize', () => {
  test('nothing is erased before the terminal has told how wide it was when the cursor went up', () => {
    const at = watched()
    at.tell(narrow)
    expect(at.written()).not.toContain(erasure)
    at.answer(narrow)
    expect(at.written()).toContain('\x1b[1A')
    at.answer(narrow)
    expect(at.written()).toContain(erasure)
  })

  test('a width that changes while the cursor goes up counts from where the cursor is', () => {
    const at = watched()
    at.tell(narrow)
    at.written()
    at.answer({ columns: 30, rows: 16 })
    expect(at.written()).toContain('\x1b[2A')
    at.answer({ columns: 80, rows: 16 })
    // At the first width that fits, one row lies above, so that the cursor went up one row too far.
    expect(at.written()).toMatch(/^\x1b\[6n\r(?:\r\n)+\x1b7/)
    at.answer(narrow)
    expect(at.written()).not.toContain('\x1b[3J')
  })

  test('a frame waits less after one that came alone than after one of several', () => {
    const at = watched()
    at.tell(narrow)
    at.tell(wide)
    const [alone = 0, followed = 0] = at.holdsMs
    expect(alone).toBeLessThan(40)
    expect(followed).toBeGreaterThan(alone)
  })

  test('a frame is painted once the terminal has the size that was reported', () => {
    const at = watched('short')
    at.tell(narrow)
    at.answer(narrow)
    expect(at.watch.allows(true, at.paint)).toBe(false)
    at.answer(narrow)
    expect(at.paint).toHaveBeenCalledTimes(1)
  })

  test('a frame is not painted while the terminal has another size already', () => {
    const at = watched('short')
    at.tell(wide)
    at.answer(wide)
    expect(at.watch.allows(false, at.paint)).toBe(false)
    at.answer(narrow)
    expect(at.paint).not.toHaveBeenCalled()
    at.tell(narrow)
    at.answer(narrow)
    expect(at.watch.allows(false, at.paint)).toBe(false)
    at.answer(narrow)
    expect(at.paint).toHaveBeenCalledTimes(1)
  })

  test('frames are free again after a while', () => {
    const at = watched('short')
    at.tell(narrow)
    at.answer(narrow)
    vi.advanceTimersByTime(500)
    expect(at.watch.allows(false, at.paint)).toBe(true)
  })

  test('a terminal that never answers is asked once, and the reported size counts', () => {
    const at = watched('short')
    at.tell(narrow)
    vi.advanceTimersByTime(1_000)
    expect(at.written()).toContain(erasure)
    at.tell(wide)
    vi.advanceTimersByTime(1)
    expect(at.watch.allows(true, at.paint)).toBe(false)
    vi.advanceTimersByTime(1)
    expect(at.paint).toHaveBeenCalledTimes(1)
    expect(at.written()).not.toContain(question)
  })

  test('a terminal that has answered before is waited for, however busy it is', () => {
    const at = watched()
    at.tell(narrow)
    at.written()
    vi.advanceTimersByTime(1_500)
    expect(at.written()).toBe('')
    at.answer(narrow)
    expect(at.written()).toContain('\x1b[1A')
    at.answer(narrow)
    expect(at.written()).toContain(erasure)
  })

  test('the reported size counts for a terminal that answers only after all that was written', () => {
    const at = watched('short')
    at.tell(narrow)
    at.report(1, 2)
    at.report(1, 2)
    expect(at.watch.allows(false, at.paint)).toBe(false)
    at.report(1, 2)
    at.report(1, 2)
    expect(at.paint).toHaveBeenCalledTimes(1)
  })

  test('a terminal that is given away is erased at once, from where the cursor went', () => {
    const at = watched('short')
    at.tell(narrow)
    expect(at.written()).toContain('\x1b[1A')
    at.watch.giveUp()
    const text = at.written()
    expect(text).toContain(erasure)
    expect(text).not.toContain('A')
    at.answer(narrow)
    expect(at.written()).toBe('')
  })
})

describe('without a resize', () => {
  test('a frame waits for an answer while a row above the cursor could wrap', () => {
    const at = watched()
    expect(at.watch.allows(false, at.paint)).toBe(false)
    at.answer(wide)
    expect(at.paint).toHaveBeenCalledTimes(1)
    expect(at.written()).not.toContain(erasure)
  })

  test('a frame for a key and one below short rows wait for none', () => {
    expect(watched().watch.allows(true, () => undefined)).toBe(true)
    expect(watched('short').watch.allows(false, () => undefined)).toBe(true)
  })

  test('a frame that says what is there already is not written', () => {
    const at = watched()
    at.watch.send(at.draw)
    expect(at.written()).toBe('')
  })
})

test('a cursor report that was not asked for is no answer', () => {
  expect(watched().report(1, 1)).toBe(false)
})
