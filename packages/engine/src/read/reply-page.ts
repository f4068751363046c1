import { limits } from '@parley/protocol'

/** Entries of one reply. */
export interface ReplyPage<Entry> {
  readonly entries: Entry[]
  /** Adds an entry. Returns false, and adds nothing, when it does not fit. */
  add(entry: Entry, sizeBytes: number): boolean
}

/**
 * Creates a page of at most `limit` entries that fit in a reply. The first always fits, so that a reader can get past
 * it.
 */
export function createReplyPage<Entry>(limit: number): ReplyPage<Entry> {
  const entries: Entry[] = []
  let pageBytes = 0
  return {
    entries,
    add(entry, sizeBytes) {
      pageBytes += sizeBytes
      if (entries.length === limit || (pageBytes > limits.page && entries.length > 0)) return false
      entries.push(entry)
      return true
    },
  }
}
