import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Watchdog } from '../../src/http/watchdog.ts'

function watch(signal = new AbortController().signal) {
  const onTrip = vi.fn()
  return { onTrip, watchdog: new Watchdog(signal, { idleMs: 100, totalMs: 1_000 }, onTrip) }
}

describe('the watchdog', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('trips after silence, once', () => {
    const { watchdog, onTrip } = watch()
    vi.advanceTimersByTime(5_000)
    expect(watchdog.trip).toBe('idle')
    expect(onTrip).toHaveBeenCalledOnce()
  })

  it('does not trip while the response is alive, until its time limit', () => {
    const { watchdog } = watch()
    for (let elapsedMs = 0; elapsedMs < 950; elapsedMs += 50) {
      vi.advanceTimersByTime(50)
      watchdog.alive()
    }
    expect(watchdog.trip).toBeUndefined()
    vi.advanceTimersByTime(50)
    expect(watchdog.trip).toBe('tooLong')
  })

  it('does not count the time that the reader takes', () => {
    const { watchdog } = watch()
    watchdog.hold(true)
    vi.advanceTimersByTime(450)
    watchdog.hold(false)
    vi.advanceTimersByTime(99)
    expect(watchdog.trip).toBeUndefined()
    vi.advanceTimersByTime(1)
    expect(watchdog.trip).toBe('idle')
  })

  it('trips at once on an abort, and the first reason stays', () => {
    const stop = new AbortController()
    const { watchdog, onTrip } = watch(stop.signal)
    stop.abort()
    vi.advanceTimersByTime(5_000)
    expect(watchdog.trip).toBe('aborted')
    expect(onTrip).toHaveBeenCalledOnce()
  })

  it('does not trip after it was stopped', () => {
    const stop = new AbortController()
    const { watchdog, onTrip } = watch(stop.signal)
    watchdog.stop()
    stop.abort()
    vi.advanceTimersByTime(5_000)
    expect(onTrip).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })
})
