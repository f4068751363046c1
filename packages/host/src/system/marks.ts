import { randomBytes } from 'node:crypto'
import { setImmediate as nextLoopTurn } from 'node:timers/promises'
import { listPids, pidNamespace, readStat, readVariable } from './process-table.ts'
import { isThere, killProcess } from './signals.ts'

/** Environment variable with the mark, which identifies processes that left their process group. */
export const markVariable = 'PARLEY_MARK'

export interface MarkOwner {
  readonly pid: number
  /** Linux: clock ticks from boot to the start of `pid`, which tells the owner from a later process with that number. */
  readonly startTime: string
}

/** Returns a new mark `<pid>-<startTime>-<random>` owned by this process. */
export function createMark(): string {
  return `${process.pid}-${startTime()}-${randomBytes(10).toString('hex')}`
}

export function parseMark(mark: string): MarkOwner | null {
  const match = /^(\d+)-(\d+)-[0-9a-f]+$/.exec(mark)
  const [, pid, startTime] = match ?? []
  return pid === undefined || startTime === undefined ? null : { pid: Number(pid), startTime }
}

/** Returns false for a mark that the crash guard could misread: marks are words on a line of its input. */
export function isUsableMark(mark: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(mark)
}

/** Returns false only for an owner that is known to be gone: what belongs to it is then killed and removed. */
export function isOwnerAlive(owner: MarkOwner): boolean {
  const stat = readStat(owner.pid)
  // Without a free descriptor nothing can be read of a process that lives.
  if (stat === null) return isThere(owner.pid)
  return stat.startTime === owner.startTime && !stat.ending
}

/** Kills every process that carries this mark; returns how many. Linux; elsewhere 0. */
export function sweepMarked(mark: string): Promise<number> {
  return sweep((found) => found === mark)
}

/**
 * Kills every marked process without a living owner, such as the commands of a killed server; returns how many. Linux;
 * elsewhere 0.
 */
export function sweepOrphans(isAlive: (owner: MarkOwner) => boolean = isOwnerAlive): Promise<number> {
  const namespace = pidNamespace('self')
  return sweep((mark, pid) => {
    const owner = parseMark(mark)
    // The server of a container may be alive under a number that means nothing in this namespace.
    return owner !== null && pidNamespace(pid) === namespace && !isAlive(owner)
  })
}

/** Limit of rounds: a process can start another between a look and its kill, so each round looks again. */
const maxRounds = 10

/** Number of processes looked at before other work gets a turn: about 0.6 ms. */
const sliceLength = 64

async function sweep(isWanted: (mark: string, pid: number) => boolean): Promise<number> {
  const killed = new Set<number>()
  for (let round = 0; round < maxRounds; round += 1) {
    const before = killed.size
    for (const [index, pid] of listPids().entries()) {
      if (index % sliceLength === sliceLength - 1) await nextLoopTurn()
      const mark = killed.has(pid) ? null : readVariable(pid, markVariable)
      if (mark !== null && isWanted(mark, pid) && killProcess(pid)) killed.add(pid)
    }
    if (killed.size === before) break
  }
  return killed.size
}

let cachedStartTime: string | undefined

function startTime(): string {
  cachedStartTime ??= readStat(process.pid)?.startTime ?? String(Math.floor(performance.timeOrigin))
  return cachedStartTime
}
