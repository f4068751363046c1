import { randomBytes } from 'node:crypto'
import { closeSync, constants, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** O_TMPFILE of Linux, which Node's constants lack. */
const withoutName = 0o20000000 | constants.O_DIRECTORY

/** Folder in memory, on systems that have one. */
const memoryFolder = '/dev/shm'

/** Opens a file without a name, to be handed to a process; it is removed with its last descriptor. */
export function openAnonymousFile(content: Buffer | string = ''): number {
  const fd = open()
  try {
    const bytes = Buffer.from(content)
    // A positional write leaves the offset at the start, where the receiver of the descriptor begins to read.
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, done)
    return fd
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/** Opens another descriptor of the file, which appends. */
export function openToAppend(fd: number): number {
  return openSync(`/proc/self/fd/${fd}`, 'a')
}

/** Returns the present content, up to `maxBytes`. */
export function readAnonymousFile(fd: number, maxBytes: number): string {
  const buffer = Buffer.alloc(maxBytes)
  return buffer.toString('latin1', 0, readSync(fd, buffer, 0, maxBytes, 0))
}

function open(): number {
  try {
    return openSync(memoryFolder, constants.O_RDWR | withoutName, 0o600)
  } catch {
    const path = join(tmpdir(), `parley-${randomBytes(12).toString('hex')}`)
    const fd = openSync(path, 'wx+', 0o600)
    unlinkSync(path)
    return fd
  }
}
