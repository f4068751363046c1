import { setImmediate as turn } from 'node:timers/promises'
import { waitUntil } from '@parley/testkit'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createFrames, createQuietTimer, type QuietTimer } from '../../src/screen/frame-timing.ts'

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

  test('are painted after what was begun before, once', async () => {
    const seen: string[] = []
    const frames = createFrames((isUrgent) => void seen.push(`painted, urgent: ${isUrgent}`))
    frames.next()
    frames.next()
    process.nextTick(() => seen.push('written'))
    await turn()
    expect(seen).toEqual(['written', 'painted, urgent: true'])
    frames.next()
    frames.now()
    await turn()
    expect(seen).toHaveLength(3)
    frames.next()
    frames.stop()
    await turn()
    expect(seen).toHaveLength(3)
  })

  test('are delayed while sizes follow each other, then painted once', () => {
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

  test('are not painted after a stop, delayed ones included', () => {
    const paint = vi.fn()
    const frames = createFrames(paint)
    frames.hold(10)
    frames.at(Date.now() + 10)
    frames.stop()
    vi.advanceTimersByTime(1_000)
    expect(paint).not.toHaveBeenCalled()
  })
})

describe('a quiet timer', () => {
  test('is cancelled by input that is available at its end', async () => {
    let calls = 0
    const quiet: QuietTimer = createQuietTimer(() => {
      calls += 1
    })
    const ended = Promise.withResolvers<void>()
    quiet.at(Date.now())
    // Set behind it, so that it comes in the same turn of the event loop, after the time and before the call.
    setTimeout(() => {
      quiet.at(null)
      ended.resolve()
    }, 0)
    await ended.promise
    await turn()
    await turn()
    expect(calls).toBe(0)
  })

  test('calls once, at the later end that replaced the first', async () => {
    let calls = 0
    const quiet = createQuietTimer(() => {
      calls += 1
    })
    quiet.at(Date.now() + 3_600_000)
    quiet.at(Date.now())
    await waitUntil(() => calls > 0, { what: 'the end of the wait' })
    quiet.stop()
    expect(calls).toBe(1)
  })
})
