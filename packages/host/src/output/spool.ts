import { closeSync, constants, fchmodSync, openSync, rmSync, writeSync } from 'node:fs'
import { errorCode } from '@parley/text'

export interface SpoolSpec {
  /** Path of a file that must not exist yet, in a directory that does. Created with mode 0600. */
  readonly path: string
  /** The file is made when there is more output than this; default 0. */
  readonly afterBytes?: number
  /** Default 64 MiB. Output past it is counted and dropped. */
  readonly maxBytes?: number
}

export interface SpoolEnd {
  readonly path: string
  readonly bytes: number
  /** False when the cap or an error cut it short. */
  readonly complete: boolean
  /** Errno name that ended the writing, such as `ENOSPC`; absent when the cap did. */
  readonly errorCode?: string
}

export interface LateSpool {
  write(chunk: Buffer): void
  /** Returns undefined when there was too little output for a file. */
  close(): SpoolEnd | undefined
  /** Removes the file, and ignores later writes. */
  discard(): void
}

/**
 * Creates a spool that makes its file when output exceeds `afterBytes`: most output is too short to be worth a file.
 */
export function createLateSpool(spec: SpoolSpec): LateSpool {
  const { afterBytes = 0 } = spec
  let held: Buffer[] = []
  let heldBytes = 0
  let spool: Spool | undefined
  let isDiscarded = false
  function open(): Spool {
    const opened = openSpool(spec)
    for (const chunk of held) opened.write(chunk)
    held = []
    return opened
  }
  return {
    write(chunk) {
      if (isDiscarded) return
      if (spool === undefined && heldBytes + chunk.length <= afterBytes) {
        held.push(Buffer.from(chunk))
        heldBytes += chunk.length
        return
      }
      spool ??= open()
      spool.write(chunk)
    },
    close: () => (isDiscarded ? undefined : spool?.close()),
    discard() {
      isDiscarded = true
      held = []
      if (spool === undefined) return
      spool.close()
      remove(spec.path)
    },
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // A file that cannot be removed costs only its room.
  }
}

const defaultMaxBytes = 64 * 1024 * 1024

interface Spool {
  write(chunk: Buffer): void
  close(): SpoolEnd
}

/** System calls of a spool; a test hands in a disk that fills up. */
export interface SpoolDisk {
  create(path: string): number
  write(fd: number, bytes: Buffer): number
  close(fd: number): void
}

/**
 * Writes all output up to a cap to a file, synchronously, so that reported output is in it. A failure only marks the
 * spool incomplete; a slow disk holds up the reader.
 */
export function openSpool(spec: SpoolSpec, disk: SpoolDisk = realDisk): Spool {
  const maxBytes = spec.maxBytes ?? defaultMaxBytes
  let fd: number | null = null
  let end: SpoolEnd = { path: spec.path, bytes: 0, complete: true }
  const attempt = (action: () => void) => {
    try {
      action()
    } catch (error) {
      end = { ...end, complete: false, errorCode: errorCode(error) ?? 'EIO' }
      release()
    }
  }
  const release = () => {
    const closing = fd
    fd = null
    if (closing !== null) attempt(() => disk.close(closing))
  }
  const append = (bytes: Buffer) => {
    for (let rest = bytes; rest.length > 0 && fd !== null; ) {
      const written = disk.write(fd, rest)
      end = { ...end, bytes: end.bytes + written }
      rest = rest.subarray(written)
    }
  }
  attempt(() => {
    fd = disk.create(spec.path)
  })
  return {
    write(chunk) {
      if (fd === null) return
      const room = maxBytes - end.bytes
      attempt(() => append(chunk.subarray(0, room)))
      if (chunk.length <= room || fd === null) return
      end = { ...end, complete: false }
      release()
    },
    close() {
      release()
      return end
    },
  }
}

const realDisk: SpoolDisk = {
  create(path) {
    const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
    const fd = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
    fchmodSync(fd, 0o600) // a umask of 777 would leave a file that its owner cannot read
    return fd
  },
  write: (fd, bytes) => writeSync(fd, bytes),
  close: closeSync,
}
