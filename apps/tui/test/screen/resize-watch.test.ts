import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ResizeWatch } from '../../src/screen/resize-watch.ts'
import { createProbe, geometryQuery } from '../../src/screen/terminal-probe.ts'
import type { Geometry } from '../../src/view/erase-zone.ts'

const wide = { columns: 80, rows: 24 }
const narrow = { columns: 60, rows: 16 }
const cursor = { row: 3, column: 2 }

/** A terminal that answers when told to, and the watch over it. */
function watched() {
  let told = wide
  let asked = 0
  const erased: Geometry[] = []
  const holdsMs: number[] = []
  const probe = createProbe((text) => {
    expect(text).toBe(geometryQuery)
    asked += 1
  })
  const paint = vi.fn()
  const watch = new ResizeWatch({
    probe,
    size: () => told,
    erase: (at) => void erased.push(at),
    hold: (holdMs) => void holdsMs.push(holdMs),
    repaint: () => undefined,
  })
  const report = (row: number, column: number) =>
    probe.take({ kind: 'reply', reply: { type: 'cursor', row: row + 1, column: column + 1 } })
  return {
    watch,
    erased,
    holdsMs,
    paint,
    asked: () => asked,
    tell(size: typeof wide) {
      told = size
      watch.resized()
    },
    answer({ columns, rows }: typeof wide) {
      report(cursor.row, cursor.column)
      report(rows - 1, columns - 1)
    },
    report,
  }
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

describe('after a resize', () => {
  test('the live zone is erased where the terminal says that its cursor is', () => {
    const at = watched()
    at.tell(narrow)
    expect(at.erased).toEqual([])
    at.answer(narrow)
    expect(at.erased).toEqual([{ ...narrow, cursor }])
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
    const at = watched()
    at.tell(narrow)
    at.answer(narrow)
    expect(at.watch.allows(at.paint)).toBe(false)
    at.answer(narrow)
    expect(at.paint).toHaveBeenCalledTimes(1)
  })

  test('a frame is not painted while the terminal has another size already, and the live zone is erased there', () => {
    const at = watched()
    at.tell(wide)
    at.answer(wide)
    expect(at.watch.allows(at.paint)).toBe(false)
    at.answer(narrow)
    at.answer(narrow)
    expect(at.paint).not.toHaveBeenCalled()
    expect(at.erased.at(-1)).toEqual({ ...narrow, cursor })
    at.tell(narrow)
    at.answer(narrow)
    expect(at.watch.allows(at.paint)).toBe(false)
    at.answer(narrow)
    expect(at.paint).toHaveBeenCalledTimes(1)
  })

  test('frames are free again after a while', () => {
    const at = watched()
    at.tell(narrow)
    at.answer(narrow)
    vi.advanceTimersByTime(500)
    expect(at.watch.allows(at.paint)).toBe(true)
  })

  test('a terminal that never answers is asked once, and the reported size counts', () => {
    const at = watched()
    at.tell(narrow)
    vi.advanceTimersByTime(1_000)
    expect(at.erased).toEqual([narrow])
    at.tell(wide)
    vi.advanceTimersByTime(1)
    expect(at.erased).toEqual([narrow, wide])
    expect(at.watch.allows(at.paint)).toBe(false)
    vi.advanceTimersByTime(1)
    expect(at.paint).toHaveBeenCalledTimes(1)
    expect(at.asked()).toBe(1)
  })

  test('an answer that comes after the next question is passed over', () => {
    const at = watched()
    at.tell(narrow)
    at.tell(wide)
    at.answer(narrow)
    expect(at.erased).toEqual([])
    at.answer(wide)
    expect(at.erased).toEqual([{ ...wide, cursor }])
  })

  test('a terminal that is given away is erased at once', () => {
    const at = watched()
    at.tell(narrow)
    at.watch.giveUp()
    expect(at.erased).toEqual([narrow])
    at.answer(narrow)
    expect(at.erased).toHaveLength(1)
  })
})

test('a cursor report that was not asked for is no answer', () => {
  expect(watched().report(1, 1)).toBe(false)
})
