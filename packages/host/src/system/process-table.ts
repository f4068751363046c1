import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** What Linux tells of other processes through /proc. Elsewhere every list is empty and every answer null. */
export interface ProcessStat {
  /** Dead, or past the point of no return: a zombie keeps its number and its group until its parent collects it. */
  readonly ending: boolean
  readonly groupId: number
  readonly startTime: string
}

/** PF_EXITING: set before a process gives up its descriptors, so that whoever made us see the end of the output no longer counts. */
const exitingFlag = 0x4

export function listPids(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

/**
 * The processes whose number was given out after `first`. Numbers are given out in a circle, so this holds only while fewer processes
 * than the circle is long (32,768 at least) were started since.
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

/** The value of a variable in the environment the process was started with; null if absent, not ours to read, or a zombie. */
export function readVariable(pid: number, name: string): string | null {
  const text = readText(`/proc/${pid}/environ`)
  if (text === null) return null
  const prefix = `${name}=`
  const start = text.startsWith(prefix) ? 0 : text.indexOf(`\0${prefix}`) + 1
  if (start === 0 && !text.startsWith(prefix)) return null
  const end = text.indexOf('\0', start)
  return text.slice(start + prefix.length, end < 0 ? undefined : end)
}

/** Numbers mean the same only within one pid namespace; null when it cannot be told. */
export function pidNamespace(pid: number | 'self'): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`)
  } catch {
    return null
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return null
  }
}
