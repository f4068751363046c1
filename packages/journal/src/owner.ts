import { isOwnerAlive } from '@parley/host'
import type { Files } from './files.ts'
import { isRecord, parseJson } from './line.ts'
import { openExisting } from './read-file.ts'

/** Who holds a conversation. A hint for people and for finding its socket; the lock is the truth. */
export interface Owner {
  readonly pid: number
  /** Clock ticks since boot, as the kernel counts them; null where it does not say. With the pid it names one process. */
  readonly startTime: string | null
  readonly bootId: string | null
  /** Where the owner can be reached; null when it listens nowhere. */
  readonly socket: string | null
  readonly program: string
}

export function thisProcess(files: Files, about: { program: string; socket: string | null }): Owner {
  return {
    pid: process.pid,
    startTime: startTimeOf(files, process.pid),
    bootId: readText(files, '/proc/sys/kernel/random/boot_id')?.trim() ?? null,
    ...about,
  }
}

/** Null when there is none, or none that can be read. */
export function readOwner(files: Files, path: string): Owner | null {
  const value = parseJson(readText(files, path) ?? '')
  return isOwner(value) ? value : null
}

/** A process number alone may be another's by now. */
export function isRunning({ pid, startTime }: Owner): boolean {
  if (startTime !== null) return isOwnerAlive({ pid, startTime })
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The 22nd field; the second one is a name in brackets that may hold blanks and brackets itself. */
function startTimeOf(files: Files, pid: number): string | null {
  const stat = readText(files, `/proc/${pid}/stat`)
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
}

const MAX_BYTES = 64 * 1024

/** Files under /proc have no size to go by, so this reads what there is, up to a limit. */
function readText(files: Files, path: string): string | null {
  const file = openExisting(files, path)
  if (file === null) return null
  try {
    const buffer = Buffer.alloc(MAX_BYTES)
    return buffer.toString('utf8', 0, files.read(file, buffer, 0))
  } finally {
    files.close(file)
  }
}

function isOwner(value: unknown): value is Owner {
  if (!isRecord(value)) return false
  const { pid, startTime, bootId, socket, program } = value
  const isText = [startTime, bootId, socket].every((field) => field === null || typeof field === 'string')
  return Number.isSafeInteger(pid) && isText && typeof program === 'string'
}
