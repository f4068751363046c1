import { randomBytes } from 'node:crypto'
import { closeSync, constants, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Linux's __O_TMPFILE, which Node's constants leave out. */
const withoutName = 0o20000000 | constants.O_DIRECTORY

/** Memory where the system has it. */
const memoryFolder = '/dev/shm'

/** A file of ours alone that has no name, to be handed to a process; it is gone with its last descriptor. */
export function openAnonymousFile(content: Buffer | string = ''): number {
  const fd = open()
  try {
    const bytes = Buffer.from(content)
    // At a position, so that who gets the descriptor reads from the start.
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, done)
    return fd
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/** Another descriptor of it that only adds at its end. */
export function openToAppend(fd: number): number {
  return openSync(`/proc/self/fd/${fd}`, 'a')
}

/** What is in it now, as far as `maxBytes`. */
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
