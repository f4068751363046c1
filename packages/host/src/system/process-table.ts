import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { orNull } from '@parley/text'

/** State of a process from Linux's /proc. On other systems every list is empty and every answer null. */
export interface ProcessStat {
  /** True for a zombie or an exiting process: it keeps its number and group until its parent collects it. */
  readonly ending: boolean
  readonly groupId: number
  readonly startTime: string
}

/** PF_EXITING, set before a process closes its descriptors: the writer that just ended the output already counts as ending. */
const exitingFlag = 0x4

export function listPids(): number[] {
  return orNull(() => readdirSync('/proc').map(Number).filter(Number.isInteger)) ?? []
}

/**
 * Lists the processes with numbers given out from `first` on. Numbers wrap around (at 32,768 or more), so the answer
 * holds only while fewer processes were started since.
 */
export function listPidsSince(first: number): number[] {
  const pids = listPids()
  const last = Number(readText('/proc/loadavg')?.trim().split(' ').at(-1))
  if (!Number.isInteger(last)) return pids
  return pids.filter((pid) => (first <= last ? pid >= first && pid <= last : pid >= first || pid <= last))
}

export function readStat(pid: number): ProcessStat | null {
  const text = readText(`/proc/${pid}/stat`)
  if (text === null) return null
  // The second field is the program's name in parentheses, and may itself hold spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const ending = 'ZX'.includes(fields[0] ?? 'X') || (Number(fields[6]) & exitingFlag) !== 0
  return { ending, groupId: Number(fields[2]), startTime: fields[19] ?? '' }
}

/** Returns a variable of the environment a process was started with; null if absent, not readable, or a zombie. */
export function readVariable(pid: number, name: string): string | null {
  const text = readText(`/proc/${pid}/environ`)
  if (text === null) return null
  const prefix = `${name}=`
  const start = text.startsWith(prefix) ? 0 : text.indexOf(`\0${prefix}`) + 1
  if (start === 0 && !text.startsWith(prefix)) return null
  const end = text.indexOf('\0', start)
  return text.slice(start + prefix.length, end < 0 ? undefined : end)
}

/** Returns the pid namespace, within which process numbers are unique; null when it is unknown. */
export function pidNamespace(pid: number | 'self'): string | null {
  return orNull(() => readlinkSync(`/proc/${pid}/ns/pid`))
}

function readText(path: string): string | null {
  return orNull(() => readFileSync(path, 'latin1'))
}
