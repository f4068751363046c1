import { describe, expect, test } from 'vitest'
import { ServerWatch } from '../../src/conversation/server-watch.ts'

/** A watch with a clock of its own, and a server that answers when told to. */
function watched() {
  let nowMs = 0
  let answer = Promise.withResolvers<void>()
  let pings = 0
  const said: boolean[] = []
  const watch = new ServerWatch({
    ping() {
      pings += 1
      return answer.promise
    },
    onHang: (hangs) => void said.push(hangs),
    now: () => nowMs,
  })
  return {
    watch,
    said,
    pings: () => pings,
    /** Lets time pass, in the steps of the watch. */
    wait(durationMs: number) {
      for (const endMs = nowMs + durationMs; nowMs < endMs; ) {
        nowMs += 500
        watch.tick()
      }
    },
    sleep(durationMs: number) {
      nowMs += durationMs
      watch.tick()
    },
    async reply() {
      const { promise, resolve } = answer
      answer = Promise.withResolvers<void>()
      resolve()
      await promise
      // The watch takes the reply one turn of the queue later.
      await Promise.resolve()
    },
    [Symbol.dispose]: () => watch[Symbol.dispose](),
  }
}

const never = new Promise<never>(() => undefined)

describe('a server that hangs', () => {
  test('is said after 3 s without a reply, and again once it answers', async () => {
    using at = watched()
    void at.watch.during(never)
    at.wait(2_500)
    expect(at.said).toEqual([])
    at.wait(500)
    expect(at.said).toEqual([true])
    await at.reply()
    expect(at.said).toEqual([true, false])
  })

  test('is said again after half a minute', () => {
    using at = watched()
    void at.watch.during(never)
    at.wait(32_500)
    expect(at.said).toEqual([true])
    at.wait(500)
    expect(at.said).toEqual([true, true])
  })

  test('is found while a turn runs without an event', () => {
    using at = watched()
    at.watch.follow(true)
    at.wait(3_000)
    expect(at.said).toEqual([true])
    at.watch.follow(true)
    expect(at.said).toEqual([true, false])
  })

  test('is none that answers the question, however long the request takes', async () => {
    using at = watched()
    void at.watch.during(never)
    for (let seconds = 0; seconds < 10; seconds++) {
      at.wait(2_000)
      await at.reply()
    }
    expect(at.said).toEqual([])
  })

  test('is not sought when nothing is expected of it', async () => {
    using at = watched()
    await at.watch.during(Promise.resolve())
    at.watch.follow(false)
    at.wait(10_000)
    expect({ said: at.said, pings: at.pings() }).toEqual({ said: [], pings: 0 })
  })

  test('is not said for the time that this process was stopped itself', () => {
    using at = watched()
    void at.watch.during(never)
    at.wait(1_000)
    at.sleep(60_000)
    expect(at.said).toEqual([])
  })
})
