import { describe, expect, test } from 'vitest'
import { createTeamFrame } from '../src/link/team-frame.ts'

const home = 'https://a.example'

/** A page whose websockets open only at some addresses. */
function pageReaching(reachable: readonly string[]) {
  const tried: string[] = []
  class Socket extends EventTarget {
    constructor(url: string) {
      super()
      tried.push(url)
      queueMicrotask(() => this.dispatchEvent(new Event(reachable.includes(url) ? 'open' : 'close')))
    }
    close() {}
  }
  const page = { document: null, location: { origin: home }, WebSocket: Socket }
  return { tried, frame: createTeamFrame(page as never) }
}

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

  test('asks nobody about its own server', async () => {
    const { tried, frame } = pageReaching([])
    await expect(frame.open(home)).rejects.toThrow('does not answer')
    expect(tried).toEqual(['wss://a.example/socket'])
  })
})
