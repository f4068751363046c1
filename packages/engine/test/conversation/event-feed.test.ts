import type { Line } from '@parley/journal'
import { describe, expect, it } from 'vitest'
import { createEventFeed } from '../../src/conversation/event-feed.ts'

function line(seq: number, size = 10): Line {
  const text = `{"seq":${seq}}`.padEnd(size, ' ')
  return { seq, type: 'x', crc: null, text, elidedText: text }
}

describe('a feed', () => {
  it('publishes what is appended and wakes its readers', () => {
    const feed = createEventFeed(4)
    const seen: number[] = []
    const stop = feed.subscribe(() => seen.push(feed.published))
    feed.append([line(5)])
    feed.append([line(6)])
    stop()
    feed.append([line(7)])
    expect(seen).toEqual([5, 6])
    expect(feed.recentAfter(5)).toEqual([line(6), line(7)])
  })

  it('holds a line and all later lines back until it is released', () => {
    const feed = createEventFeed(0)
    feed.append([line(1)])
    feed.hold(2)
    feed.append([line(2)])
    feed.append([line(3)])
    expect([feed.published, feed.recentAfter(0)]).toEqual([1, [line(1)]])
    feed.release(2)
    expect([feed.published, feed.recentAfter(1)]).toEqual([3, [line(2), line(3)]])
  })

  it('releases lines in order, whichever sync ends first', () => {
    const feed = createEventFeed(0)
    feed.hold(1)
    feed.append([line(1)])
    feed.hold(2)
    feed.append([line(2)])
    feed.release(2)
    expect(feed.published).toBe(0)
    feed.release(1)
    expect(feed.published).toBe(2)
  })

  it('holds back from the first held line on, whichever hold came first', () => {
    const feed = createEventFeed(0)
    feed.hold(3)
    feed.hold(2)
    feed.append([line(1), line(2), line(3)])
    expect(feed.published).toBe(1)
    feed.release(3)
    expect(feed.published).toBe(1)
    feed.release(2)
    expect(feed.published).toBe(3)
  })

  it('gives no lines to a reader that is up to date or ahead', () => {
    const feed = createEventFeed(3)
    expect([feed.recentAfter(3), feed.recentAfter(9)]).toEqual([[], []])
  })

  it('sends a reader to the log for lines that memory never held', () => {
    const feed = createEventFeed(3)
    feed.append([line(4)])
    expect([feed.recentAfter(2), feed.recentAfter(3)]).toEqual([null, [line(4)]])
  })

  it('forgets the oldest published lines and no others', () => {
    const feed = createEventFeed(0)
    for (let seq = 1; seq <= 30; seq++) feed.append([line(seq, 100_000)])
    expect(feed.recentAfter(0)).toBeNull()
    expect(feed.recentAfter(29)).toEqual([line(30, 100_000)])
    feed.hold(31)
    for (let seq = 31; seq <= 90; seq++) feed.append([line(seq, 100_000)])
    feed.release(31)
    expect(feed.recentAfter(30)).toHaveLength(60)
  })

  it('keeps more lines for a reader that is a little behind, and no more for one that is far behind', () => {
    const feed = createEventFeed(0)
    let cursor = 0
    feed.subscribe(() => {}, { cursor: () => cursor })
    for (let seq = 1; seq <= 35; seq++) feed.append([line(seq, 100_000)])
    expect(feed.recentAfter(0)).toHaveLength(35)
    cursor = 25
    feed.append([line(36, 100_000)])
    expect([feed.recentAfter(24), feed.recentAfter(25)?.length]).toEqual([null, 11])
    cursor = 10
    for (let seq = 37; seq <= 200; seq++) feed.append([line(seq, 100_000)])
    expect([feed.recentAfter(179), feed.recentAfter(195)?.length]).toEqual([null, 5])
  })
})
