import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createCoalescer } from '../../../src/engine/conversation/deltas.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function collect() {
  const sent: string[] = []
  const clock = { now: () => 0, elapsed: () => Date.now(), sleep: () => Promise.resolve() }
  return { sent, coalescer: createCoalescer(clock, (text) => void sent.push(text)) }
}

describe('a coalescer', () => {
  it('sends the first text at once', () => {
    const { sent, coalescer } = collect()
    coalescer.push('a')
    expect(sent).toEqual(['a'])
  })

  it('joins fast text into few pieces a second', () => {
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

  it('sends text at once again after a pause', () => {
    const { sent, coalescer } = collect()
    coalescer.push('a')
    vi.advanceTimersByTime(50)
    coalescer.push('b')
    expect(sent).toEqual(['a', 'b'])
  })

  it('sends held text on a flush, and sends it once', () => {
    const { sent, coalescer } = collect()
    coalescer.push('a')
    coalescer.push('b')
    coalescer.flush()
    vi.advanceTimersByTime(100)
    expect(sent).toEqual(['a', 'b'])
  })

  it('drops text after a stop', () => {
    const { sent, coalescer } = collect()
    coalescer.push('a')
    coalescer.push('b')
    coalescer.stop()
    vi.advanceTimersByTime(100)
    expect(sent).toEqual(['a'])
  })

  it('sends pieces of a bounded size and cuts no character in half', () => {
    const { sent, coalescer } = collect()
    const text = `x${'😀'.repeat(100_000)}`
    coalescer.push(text)
    expect(sent.length).toBeGreaterThan(2)
    expect(Math.max(...sent.map((piece) => piece.length))).toBeLessThanOrEqual(64 * 1024)
    expect(sent.join('')).toBe(text)
    expect(sent.every((piece) => piece.isWellFormed())).toBe(true)
  })
})
