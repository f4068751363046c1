import { StorageError } from '@parley/journal'
import type { ConversationEvent } from '@parley/protocol'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Conversation } from '../../src/conversation/conversation.ts'
import { createCoalescer, createDeltaWriter } from '../../src/conversation/deltas.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function collect() {
  const sent: string[] = []
  const storage = { fails: false }
  const clock = { now: () => 0, elapsed: () => Date.now(), sleep: () => Promise.resolve() }
  const record = (event: ConversationEvent) => {
    if (storage.fails) throw new StorageError({ code: 'ENOSPC', operation: 'write', path: '/log' })
    if (event.type === 'item.delta') sent.push(event.text)
  }
  const write = createDeltaWriter({ record } as unknown as Conversation, 'i1')
  return { sent, storage, coalescer: createCoalescer(clock, write) }
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

  it('keeps half of a character until its other half has come', () => {
    const { sent, coalescer } = collect()
    coalescer.push('a\ud83d')
    vi.advanceTimersByTime(50)
    coalescer.push('\ude00b')
    vi.advanceTimersByTime(50)
    coalescer.push('\ud83d')
    coalescer.flush()
    expect(sent).toEqual(['a', '\u{1f600}b'])
    expect(coalescer.stop()).toBe('\ud83d')
  })

  it('sends held text on a flush, and sends it once', () => {
    const { sent, coalescer } = collect()
    coalescer.push('a')
    coalescer.push('b')
    coalescer.flush()
    vi.advanceTimersByTime(100)
    expect(sent).toEqual(['a', 'b'])
  })

  it('sends what the storage did not take once it does, in order, also when nothing follows', () => {
    const { sent, storage, coalescer } = collect()
    coalescer.push('a')
    storage.fails = true
    for (const text of ['b', 'c', 'd']) {
      coalescer.push(text)
      vi.advanceTimersByTime(1000)
    }
    expect(sent).toEqual(['a'])
    storage.fails = false
    vi.advanceTimersByTime(250)
    expect(sent).toEqual(['a', 'bcd'])
    vi.advanceTimersByTime(1000)
    expect(sent).toEqual(['a', 'bcd'])
  })

  it('tries nothing after a stop', () => {
    const { sent, storage, coalescer } = collect()
    storage.fails = true
    coalescer.push('a')
    coalescer.stop()
    storage.fails = false
    vi.advanceTimersByTime(1000)
    expect(sent).toEqual([])
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
