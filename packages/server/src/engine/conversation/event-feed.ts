/** Characters of newest lines kept in memory for readers that keep up; the rest is read from the log. */
const recentLimit = 1 << 20
/** The same while a reader is somewhat behind: many that read the log at once would all be late by it. */
const lateLimit = 4 << 20

/**
 * What readers of a conversation may see: every line up to `published`. A line is held back, and all later ones with
 * it for order, until the sync it waits for is done.
 */
export interface EventFeed {
  readonly published: number
  /** Lines with consecutive numbers. */
  append(firstSeq: number, lines: readonly string[]): void
  /** Nothing from `seq` on is published until `release` is called with it. */
  hold(seq: number): void
  release(seq: number): void
  /** Published lines after `seq`, oldest first; null when they are older than what memory keeps. */
  recentAfter(seq: number): readonly string[] | null
  subscribe(wake: () => void, reader?: Reader): () => void
}

interface Reader {
  /** The last line it has taken. */
  readonly cursor: () => number
}

export function createEventFeed(startSeq: number): EventFeed {
  const recent: { seq: number; line: string }[] = []
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

  /** Readers that need older lines than memory holds read the log anyway. */
  function takenByAll(): number {
    const first = recent[0]?.seq ?? head
    const cursors = [...listeners.values()].map((reader) => reader?.cursor() ?? head)
    return Math.min(...cursors.filter((cursor) => cursor >= first - 1), head)
  }

  function forgetOldest(): void {
    const taken = takenByAll()
    let count = 0
    for (const { seq, line } of recent) {
      if (seq >= published || recentSize <= (seq > taken ? lateLimit : recentLimit)) break
      recentSize -= line.length
      count++
    }
    if (count > 0) recent.splice(0, count)
  }

  return {
    get published() {
      return published
    },
    append(firstSeq, lines) {
      for (const [index, line] of lines.entries()) {
        recent.push({ seq: firstSeq + index, line })
        recentSize += line.length
      }
      head = firstSeq + lines.length - 1
      if (recentSize > 2 * recentLimit) forgetOldest()
      publish()
    },
    hold(seq) {
      holds.push(seq)
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
      return recent.slice(seq + 1 - first.seq, published + 1 - first.seq).map((entry) => entry.line)
    },
    subscribe(wake, reader) {
      listeners.set(wake, reader)
      return () => listeners.delete(wake)
    },
  }
}
