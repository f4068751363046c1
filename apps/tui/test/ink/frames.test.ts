import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createFrames } from '../../src/ink/frames.ts'

describe('frames', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }))
  afterEach(() => void vi.useRealTimers())

  test('are painted at once for a key, and once for many events', () => {
    const paint = vi.fn()
    const frames = createFrames(paint)
    frames.now()
    expect(paint).toHaveBeenCalledTimes(1)
    for (let event = 0; event < 5; event++) frames.soon()
    expect(paint).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(100)
    expect(paint).toHaveBeenCalledTimes(2)
  })

  test('are held back while sizes follow each other, and then there is one', () => {
    const paint = vi.fn()
    const frames = createFrames(paint)
    frames.soon()
    for (let resize = 0; resize < 5; resize++) {
      frames.hold(200)
      vi.advanceTimersByTime(150)
      frames.now()
      frames.soon()
    }
    expect(paint).not.toHaveBeenCalled()
    vi.advanceTimersByTime(50)
    expect(paint).toHaveBeenCalledTimes(1)
  })

  test('end when they are stopped, a held one too', () => {
    const paint = vi.fn()
    const frames = createFrames(paint)
    frames.hold(10)
    frames.at(Date.now() + 10)
    frames.stop()
    vi.advanceTimersByTime(1_000)
    expect(paint).not.toHaveBeenCalled()
  })
})
