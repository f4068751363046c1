/** The newest bytes of a stream of any length. Positions count from its beginning and never repeat. */
export interface Ring {
  /** Returns where it begins. A chunk is at most the capacity and never torn apart, so positions may leave a hole. */
  write(chunk: Buffer): number
  /** What is read is the caller's. */
  read(position: number, sizeBytes: number): Buffer
  /** What begins before it is overwritten. */
  oldest(): number
  close(): void
}

/** Where the bytes are, by their offset below the capacity. */
export interface RingStore {
  write(chunk: Buffer, offset: number): void
  read(offset: number, sizeBytes: number): Buffer
  close(): void
}

export function createRing(capacityBytes: number, store: RingStore): Ring {
  let end = 0
  return {
    write(chunk) {
      const room = capacityBytes - (end % capacityBytes)
      const position = chunk.length > room ? end + room : end
      store.write(chunk, position % capacityBytes)
      end = position + chunk.length
      return position
    },
    read: (position, sizeBytes) => store.read(position % capacityBytes, sizeBytes),
    oldest: () => end - capacityBytes,
    close: () => store.close(),
  }
}
