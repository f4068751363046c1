import { describe, expect, it } from 'vitest'
import { createStopLadder, type Rung } from '../../src/run/stop-ladder.ts'

/** Creates a ladder on a clock that the test moves. */
function ladderOnPaper() {
  const taken: [number, Rung][] = []
  let now = 0
  let due: { at: number; action: () => void } | null = null
  const ladder = createStopLadder(
    (rung) => taken.push([now, rung]),
    (delayMs, action) => {
      due = { at: now + delayMs, action }
      return () => {
        due = null
      }
    },
  )
  const runTo = (end: number) => {
    for (let next = due; next !== null && next.at <= end; next = due) {
      now = next.at
      next.action()
    }
    now = end
  }
  return { ladder, taken, runTo }
}

describe('the stop ladder', () => {
  it.each(['interrupted', 'timedOut'] as const)('%s: INT, TERM at 500 ms, KILL at 1.5 s, then gives up', (reason) => {
    const { ladder, taken, runTo } = ladderOnPaper()
    ladder.climb(reason)
    runTo(10_000)
    expect(taken).toEqual([
      [0, 'SIGINT'],
      [500, 'SIGTERM'],
      [1500, 'SIGKILL'],
      [2400, 'abandon'],
    ])
  })

  it('shutdown: TERM at once, KILL at 700 ms', () => {
    const { ladder, taken, runTo } = ladderOnPaper()
    ladder.climb('shutdown')
    runTo(10_000)
    expect(taken).toEqual([
      [0, 'SIGTERM'],
      [700, 'SIGKILL'],
      [1600, 'abandon'],
    ])
  })

  it('each further call takes the next rung, and none is taken twice', () => {
    const { ladder, taken, runTo } = ladderOnPaper()
    ladder.climb('interrupted')
    runTo(100)
    ladder.climb('interrupted')
    ladder.climb('interrupted')
    ladder.climb('interrupted')
    runTo(10_000)
    expect(taken).toEqual([
      [0, 'SIGINT'],
      [100, 'SIGTERM'],
      [100, 'SIGKILL'],
      [1000, 'abandon'],
    ])
  })

  it('a shutdown during an interrupt hurries the rest', () => {
    const { ladder, taken, runTo } = ladderOnPaper()
    ladder.climb('interrupted')
    runTo(100)
    ladder.climb('shutdown')
    runTo(900)
    expect(taken).toEqual([
      [0, 'SIGINT'],
      [100, 'SIGTERM'],
      [800, 'SIGKILL'],
    ])
  })

  it('a closed ladder takes no further rung', () => {
    const { ladder, taken, runTo } = ladderOnPaper()
    ladder.climb('interrupted')
    ladder.close()
    runTo(10_000)
    expect(taken).toEqual([[0, 'SIGINT']])
  })
})
