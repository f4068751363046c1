import { limits } from '@parley/protocol'

/** Creates a page of at most `limit` entries that fit in a reply. The first always fits, so that a reader can go on. */
export function createReplyPage<Entry>(limit: number) {
  const entries: Entry[] = []
  let pageBytes = 0
  return {
    entries,
    /** Adds an entry. Returns false, and adds nothing, when it does not fit. */
    add(entry: Entry, sizeBytes: number): boolean {
      pageBytes += sizeBytes
      if (entries.length === limit || (pageBytes > limits.page && entries.length > 0)) return false
      entries.push(entry)
      return true
    },
  }
}
