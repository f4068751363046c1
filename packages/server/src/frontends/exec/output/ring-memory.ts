import { createRing, type Ring } from './ring.ts'

export interface RingMemory extends Ring {
  /** What it takes of memory; it grows with what is written, up to the capacity. */
  readonly sizeBytes: number
}

const firstBytes = 4096

/** Outside the heap of the garbage collector, which would move and keep what is only waiting to be overwritten. */
export function createRingMemory(capacityBytes: number): RingMemory {
  let memory = Buffer.alloc(0)
  const growTo = (neededBytes: number) => {
    if (neededBytes <= memory.length) return
    const larger = Buffer.allocUnsafeSlow(Math.min(capacityBytes, Math.max(firstBytes, neededBytes, 2 * memory.length)))
    memory.copy(larger)
    memory = larger
  }
  const ring = createRing(capacityBytes, {
    write(chunk, offset) {
      growTo(offset + chunk.length)
      chunk.copy(memory, offset)
    },
    read: (offset, sizeBytes) => Buffer.from(memory.subarray(offset, offset + sizeBytes)),
    close() {
      memory = Buffer.alloc(0)
    },
  })
  return {
    ...ring,
    get sizeBytes() {
      return memory.length
    },
  }
}
