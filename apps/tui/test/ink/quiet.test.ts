import { setImmediate as turn } from 'node:timers/promises'
import { waitUntil } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { createQuiet, type Quiet } from '../../src/ink/quiet.ts'

describe('a wait for quiet', () => {
  test('lets what could be read by its end be read first, which may end it', async () => {
    let calls = 0
    const quiet: Quiet = createQuiet(() => {
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

  test('ends once, and a later one takes its place', async () => {
    let calls = 0
    const quiet = createQuiet(() => {
      calls += 1
    })
    quiet.at(Date.now() + 3_600_000)
    quiet.at(Date.now())
    await waitUntil(() => calls > 0, { what: 'the end of the wait' })
    quiet.stop()
    expect(calls).toBe(1)
  })
})
