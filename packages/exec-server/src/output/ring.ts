import { randomBytes } from 'node:crypto'
import { closeSync, constants, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Newest bytes of a stream of any length. Positions count from the start of the stream and never repeat. */
export interface Ring {
  /** Writes a chunk of at most the capacity and returns its position. Chunks are never split, so positions may skip. */
  write(chunk: Buffer): number
  /** Returns a copy of the bytes. */
  read(position: number, sizeBytes: number): Buffer
  /** Returns the oldest position that is not overwritten. */
  oldest(): number
  close(): void
}

/** Bytes by their offset below the capacity. */
interface RingStore {
  write(chunk: Buffer, offset: number): void
  read(offset: number, sizeBytes: number): Buffer
  close(): void
}

function createRing(capacityBytes: number, store: RingStore): Ring {
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

/**
 * Opens a ring in a file that has no name once it is open, so that it cannot outlive the process. Throws system
 * errors.
 */
export function openRingFile(capacityBytes: number): Ring {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = constants
  const path = join(tmpdir(), `parley-exec-${randomBytes(8).toString('hex')}`)
  const fd = openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  unlinkSync(path)
  return createRing(capacityBytes, {
    write(chunk, offset) {
      for (let done = 0; done < chunk.length; ) {
        done += writeSync(fd, chunk, done, chunk.length - done, offset + done)
      }
    },
    read(offset, sizeBytes) {
      const bytes = Buffer.allocUnsafe(sizeBytes)
      const read = readSync(fd, bytes, 0, sizeBytes, offset)
      return bytes.subarray(0, read)
    },
    close: () => closeSync(fd),
  })
}

export interface RingMemory extends Ring {
  /** Bytes of memory in use, which grow up to the capacity. */
  readonly sizeBytes: number
}

const firstBytes = 4096

/** Creates a ring outside the heap, where the garbage collector would copy bytes that only wait to be overwritten. */
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
    write: ring.write,
    read: ring.read,
    oldest: ring.oldest,
    close: ring.close,
    get sizeBytes() {
      return memory.length
    },
  }
}
