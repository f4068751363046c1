import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { awakeTimeout } from '../../src/time/awake-timeout.ts'

describe('a limit of waking time', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('is over after its time, unless it is started anew or stopped', () => {
    const act = vi.fn()
    const limit = awakeTimeout(100, act)
    vi.advanceTimersByTime(99)
    limit.refresh()
    vi.advanceTimersByTime(99)
    expect(act).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(act).toHaveBeenCalledOnce()
    awakeTimeout(100, act).stop()
    vi.advanceTimersByTime(1_000)
    expect(act).toHaveBeenCalledOnce()
  })

  it('starts anew when the process was stopped for longer', () => {
    const act = vi.fn()
    const now = vi.spyOn(performance, 'now')
    awakeTimeout(100, act)
    // Eight hours in which no timer could fire.
    now.mockReturnValueOnce(8 * 3_600_000)
    vi.advanceTimersByTime(100)
    expect(act).not.toHaveBeenCalled()
    now.mockRestore()
    vi.advanceTimersByTime(100)
    expect(act).toHaveBeenCalledOnce()
  })
})
