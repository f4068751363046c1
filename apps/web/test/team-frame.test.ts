import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTeamFrame } from '../src/link/team-frame.ts'

const home = 'https://a.example'

/** A page whose websockets open only at some addresses, and at others wait until they are given up. */
function pageReaching(reachable: readonly string[], silent: readonly string[] = []) {
  const tried: string[] = []
  class Socket extends EventTarget {
    constructor(url: string) {
      super()
      tried.push(url)
      if (silent.includes(url)) return
      queueMicrotask(() => this.dispatchEvent(new Event(reachable.includes(url) ? 'open' : 'close')))
    }
    close() {
      this.dispatchEvent(new Event('close'))
    }
  }
  const page = { document: null, location: { origin: home }, WebSocket: Socket }
  return { tried, frame: createTeamFrame(page as never) }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a page of a team', () => {
  const direct = 'wss://b.example:7100/socket'
  const passedOn = `wss://a.example/relay?to=${encodeURIComponent(direct)}`

  test('connects to another server by itself where it can', async () => {
    const { tried, frame } = pageReaching([direct, passedOn])
    await frame.open('https://b.example:7100')
    expect(tried).toEqual([direct])
  })

  test('is passed on by its own server to one that it cannot reach', async () => {
    const { tried, frame } = pageReaching([passedOn])
    await frame.open('https://b.example:7100')
    expect(tried).toEqual([direct, passedOn])
  })

  test('waits no longer than two seconds for a server that does not answer by itself', async () => {
    const { tried, frame } = pageReaching([passedOn], [direct])
    const opening = frame.open('https://b.example:7100')
    await vi.advanceTimersByTimeAsync(2_000)
    await opening
    expect(tried).toEqual([direct, passedOn])
  })

  test('asks nobody about its own server', async () => {
    const { tried, frame } = pageReaching([])
    await expect(frame.open(home)).rejects.toThrow('does not answer')
    expect(tried).toEqual(['wss://a.example/socket'])
  })
})
