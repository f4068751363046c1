import { randomBytes } from 'node:crypto'
import { closeSync, constants, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The newest bytes of a stream of any length, on disk. Positions count from its beginning and never repeat. */
export interface RingFile {
  /** Returns where it begins. A chunk is never torn apart, so positions may leave a hole. */
  write(chunk: Buffer): number
  read(position: number, sizeBytes: number): Buffer
  /** What begins before it is overwritten. */
  oldest(): number
  close(): void
}

/** Has no name as soon as it is open, so that nothing is left of it however we end. Fails with the system's errors. */
export function openRingFile(capacityBytes: number): RingFile {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = constants
  const path = join(tmpdir(), `parley-exec-${randomBytes(8).toString('hex')}`)
  const fd = openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  unlinkSync(path)
  let end = 0
  return {
    write(chunk) {
      const room = capacityBytes - (end % capacityBytes)
      const position = chunk.length > room ? end + room : end
      for (let done = 0; done < chunk.length; ) {
        done += writeSync(fd, chunk, done, chunk.length - done, (position % capacityBytes) + done)
      }
      end = position + chunk.length
      return position
    },
    read(position, sizeBytes) {
      const bytes = Buffer.allocUnsafe(sizeBytes)
      const read = readSync(fd, bytes, 0, sizeBytes, position % capacityBytes)
      return bytes.subarray(0, read)
    },
    oldest: () => end - capacityBytes,
    close: () => closeSync(fd),
  }
}
