import { randomBytes } from 'node:crypto'
import { closeSync, constants, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRing, type Ring } from './ring.ts'

/**
 * On disk. The file has no name as soon as it is open, so that nothing is left of it however we end. Fails with the
 * system's errors.
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
