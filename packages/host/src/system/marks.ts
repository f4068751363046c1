import { randomBytes } from 'node:crypto'
import { readStat } from './process-table.ts'

/** The variable by which a command's processes are found again after they left its process group. */
export const markVariable = 'PARLEY_MARK'

export interface MarkOwner {
  readonly pid: number
  /** Linux: clock ticks from boot to the start of `pid`, which tells it from a later process with the same number. */
  readonly startTime: string
}

/** A new mark `<pid>-<startTime>-<random>` owned by this process. */
export function createMark(): string {
  return `${process.pid}-${startTime()}-${randomBytes(10).toString('hex')}`
}

export function parseMark(mark: string): MarkOwner | null {
  const match = /^(\d+)-(\d+)-[0-9a-f]+$/.exec(mark)
  const [, pid, startTime] = match ?? []
  return pid === undefined || startTime === undefined ? null : { pid: Number(pid), startTime }
}

/** The guard is told marks as words on a line, so they hold nothing that would be read otherwise: checked before it hears of one. */
export function isUsableMark(mark: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(mark)
}

let cachedStartTime: string | undefined

function startTime(): string {
  cachedStartTime ??= readStat(process.pid)?.startTime ?? String(Math.floor(performance.timeOrigin))
  return cachedStartTime
}
