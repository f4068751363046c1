const blockBytes = 64 * 1024

export interface ByteBuffer {
  readonly sizeBytes: number
  append(bytes: Buffer): void
  /** Everything appended, and forgets it. Valid until the next `append`. */
  take(): Buffer
  clear(): void
}

/**
 * Bytes that wait for the rest of their line, in blocks of one size: keeping the chunks would cost a hundred times
 * their size when they come byte by byte, and one growing buffer leaves twice the line's size behind as garbage.
 */
export function createByteBuffer(): ByteBuffer {
  let blocks: Buffer[] = []
  let sizeBytes = 0

  function append(bytes: Buffer): void {
    let taken = 0
    while (taken < bytes.length) {
      const used = sizeBytes % blockBytes
      const block = blockAt(Math.floor(sizeBytes / blockBytes))
      const copied = bytes.copy(block, used, taken)
      taken += copied
      sizeBytes += copied
    }
  }

  function blockAt(index: number): Buffer {
    const present = blocks[index]
    if (present !== undefined) return present
    const added = Buffer.allocUnsafeSlow(blockBytes)
    blocks.push(added)
    return added
  }

  function take(): Buffer {
    const [first] = blocks
    const oneBlock = first !== undefined && sizeBytes <= blockBytes
    const bytes = oneBlock ? first.subarray(0, sizeBytes) : Buffer.concat(blocks, sizeBytes)
    clear()
    return bytes
  }

  /** Keeps one block for the next line. */
  function clear(): void {
    blocks = blocks.slice(0, 1)
    sizeBytes = 0
  }

  return {
    append,
    take,
    clear,
    get sizeBytes() {
      return sizeBytes
    },
  }
}
