import type { Line } from '@parley/journal'

/** Characters of newest lines kept in memory for readers that keep up; the rest is read from the log. */
const recentLimit = 1 << 20
/** Characters kept while a reader is behind: many readers of the log at once would all become slow. */
const lateLimit = 4 << 20

/**
 * Lines that readers of a conversation may see: every line up to `published`. A line that waits for a sync is held
 * back, and all later ones with it.
 */
export interface EventFeed {
  readonly published: number
  /** Adds lines with consecutive numbers. */
  append(lines: readonly Line[]): void
  /** Holds back every line from `seq` on until `release(seq)`. */
  hold(seq: number): void
  release(seq: number): void
  /** Published lines after `seq`, oldest first; null when they are older than what memory keeps. */
  recentAfter(seq: number): readonly Line[] | null
  subscribe(wake: () => void, reader?: Reader): () => void
}

interface Reader {
  /** Returns the seq of the last line the reader has taken. */
  readonly cursor: () => number
}

export function createEventFeed(startSeq: number): EventFeed {
  const recent: Line[] = []
  /** Lines that are held, the earliest first. */
  const holds: number[] = []
  const listeners = new Map<() => void, Reader | undefined>()
  let recentSize = 0
  let head = startSeq
  let published = startSeq

  function publish(): void {
    const limit = holds[0] === undefined ? head : holds[0] - 1
    if (limit <= published) return
    published = limit
    for (const wake of listeners.keys()) wake()
  }

  /** Returns the seq that all readers have taken; readers further behind than memory read the log and do not count. */
  function takenByAll(): number {
    const first = recent[0]?.seq ?? head
    const cursors = [...listeners.values()].map((reader) => reader?.cursor() ?? head)
    return cursors.reduce((least, cursor) => (cursor >= first - 1 ? Math.min(least, cursor) : least), head)
  }

  function forgetOldest(): void {
    const taken = takenByAll()
    let count = 0
    for (const { seq, text } of recent) {
      if (seq >= published || recentSize <= (seq > taken ? lateLimit : recentLimit)) break
      recentSize -= text.length
      count++
    }
    if (count > 0) recent.splice(0, count)
  }

  return {
    get published() {
      return published
    },
    append(lines) {
      for (const line of lines) {
        recent.push(line)
        recentSize += line.text.length
      }
      head = lines.at(-1)?.seq ?? head
      if (recentSize > 2 * recentLimit) forgetOldest()
      publish()
    },
    hold(seq) {
      // A later line of one write may be held first: what waits for the disk, beside all that waits for a store.
      const before = holds.findLastIndex((held) => held <= seq)
      holds.splice(before + 1, 0, seq)
    },
    release(seq) {
      const at = holds.indexOf(seq)
      if (at >= 0) holds.splice(at, 1)
      publish()
    },
    recentAfter(seq) {
      if (seq >= published) return []
      const first = recent[0]
      if (first === undefined || first.seq > seq + 1) return null
      // Numbers are dense within a process, so a seq is also an index.
      return recent.slice(seq + 1 - first.seq, published + 1 - first.seq)
    },
    subscribe(wake, reader) {
      listeners.set(wake, reader)
      return () => listeners.delete(wake)
    },
  }
}
