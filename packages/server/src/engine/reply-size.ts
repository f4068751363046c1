/** Bytes of items in one reply, well below what a line of the wire may hold. */
export const replyLimit = 8 << 20

/** The newest that fit in `limitBytes` together, oldest first. */
export function newestWithin<Item>(items: readonly Item[], sizeOf: (item: Item) => number, limitBytes: number): Item[] {
  let first = items.length
  for (let bytes = 0; first > 0; first--) {
    const item = items[first - 1]
    bytes += item === undefined ? 0 : sizeOf(item)
    if (bytes > limitBytes) break
  }
  return items.slice(first)
}
