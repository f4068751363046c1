import { describe, expect, it } from 'vitest'
import { createEventFeed } from '../../../src/engine/conversation/event-feed.ts'

const line = (seq: number, size = 10) => `{"seq":${seq}}`.padEnd(size, ' ')

describe('a feed', () => {
  it('publishes what is appended and wakes its readers', () => {
    const feed = createEventFeed(4)
    const seen: number[] = []
    const stop = feed.subscribe(() => seen.push(feed.published))
    feed.append(5, [line(5)])
    feed.append(6, [line(6)])
    stop()
    feed.append(7, [line(7)])
    expect(seen).toEqual([5, 6])
    expect(feed.recentAfter(5)).toEqual([line(6), line(7)])
  })

  it('holds a line back until it is released, and all later ones for order', () => {
    const feed = createEventFeed(0)
    feed.append(1, [line(1)])
    feed.hold(2)
    feed.append(2, [line(2)])
    feed.append(3, [line(3)])
    expect([feed.published, feed.recentAfter(0)]).toEqual([1, [line(1)]])
    feed.release(2)
    expect([feed.published, feed.recentAfter(1)]).toEqual([3, [line(2), line(3)]])
  })

  it('releases in order, whichever sync is done first', () => {
    const feed = createEventFeed(0)
    feed.hold(1)
    feed.append(1, [line(1)])
    feed.hold(2)
    feed.append(2, [line(2)])
    feed.release(2)
    expect(feed.published).toBe(0)
    feed.release(1)
    expect(feed.published).toBe(2)
  })

  it('has nothing for a reader that is up to date or ahead', () => {
    const feed = createEventFeed(3)
    expect([feed.recentAfter(3), feed.recentAfter(9)]).toEqual([[], []])
  })

  it('sends a reader to the log for what memory never had', () => {
    const feed = createEventFeed(3)
    feed.append(4, [line(4)])
    expect([feed.recentAfter(2), feed.recentAfter(3)]).toEqual([null, [line(4)]])
  })

  it('forgets the oldest lines, but none that is not published', () => {
    const feed = createEventFeed(0)
    for (let seq = 1; seq <= 30; seq++) feed.append(seq, [line(seq, 100_000)])
    expect(feed.recentAfter(0)).toBeNull()
    expect(feed.recentAfter(29)).toEqual([line(30, 100_000)])
    feed.hold(31)
    for (let seq = 31; seq <= 90; seq++) feed.append(seq, [line(seq, 100_000)])
    feed.release(31)
    expect(feed.recentAfter(30)).toHaveLength(60)
  })

  it('keeps more while a reader is somewhat behind, and not for one that is far behind', () => {
    const feed = createEventFeed(0)
    let cursor = 0
    feed.subscribe(() => {}, { cursor: () => cursor })
    for (let seq = 1; seq <= 35; seq++) feed.append(seq, [line(seq, 100_000)])
    expect(feed.recentAfter(0)).toHaveLength(35)
    cursor = 25
    feed.append(36, [line(36, 100_000)])
    expect([feed.recentAfter(24), feed.recentAfter(25)?.length]).toEqual([null, 11])
    cursor = 10
    for (let seq = 37; seq <= 200; seq++) feed.append(seq, [line(seq, 100_000)])
    expect([feed.recentAfter(179), feed.recentAfter(195)?.length]).toEqual([null, 5])
  })
})
