import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createCoalescer } from '../../../src/engine/conversation/deltas.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function collect() {
  const sent: string[] = []
  const clock = { now: () => 0, elapsed: () => Date.now(), sleep: () => Promise.resolve() }
  return { sent, coalescer: createCoalescer(clock, (text) => void sent.push(text)) }
}

describe('text that comes fast', () => {
  it('goes at once when it is the first', () => {
    const { sent, coalescer } = collect()
    coalescer.push('a')
    expect(sent).toEqual(['a'])
  })

  it('is joined to about thirty pieces a second', () => {
    const { sent, coalescer } = collect()
    for (let ms = 0; ms < 1000; ms++) {
      coalescer.push('x')
      vi.advanceTimersByTime(1)
    }
    vi.advanceTimersByTime(100)
    expect(sent.join('')).toHaveLength(1000)
    expect(sent.length).toBeGreaterThan(25)
    expect(sent.length).toBeLessThan(35)
  })

  it('goes at once again after a pause', () => {
    const { sent, coalescer } = collect()
    coalescer.push('a')
    vi.advanceTimersByTime(50)
    coalescer.push('b')
    expect(sent).toEqual(['a', 'b'])
  })

  it('is sent by a flush, and never twice', () => {
    const { sent, coalescer } = collect()
    coalescer.push('a')
    coalescer.push('b')
    coalescer.flush()
    vi.advanceTimersByTime(100)
    expect(sent).toEqual(['a', 'b'])
  })

  it('is dropped after a stop', () => {
    const { sent, coalescer } = collect()
    coalescer.push('a')
    coalescer.push('b')
    coalescer.stop()
    vi.advanceTimersByTime(100)
    expect(sent).toEqual(['a'])
  })

  it('comes in pieces of a bounded size, no character cut in half', () => {
    const { sent, coalescer } = collect()
    const text = `x${'😀'.repeat(100_000)}`
    coalescer.push(text)
    expect(sent.length).toBeGreaterThan(2)
    expect(Math.max(...sent.map((piece) => piece.length))).toBeLessThanOrEqual(64 * 1024)
    expect(sent.join('')).toBe(text)
    expect(sent.every((piece) => piece.isWellFormed())).toBe(true)
  })
})
