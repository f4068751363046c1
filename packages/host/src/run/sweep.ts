import { setImmediate as nextLoopTurn } from 'node:timers/promises'
import { type MarkOwner, markVariable, parseMark } from '../system/marks.ts'
import { listPids, listPidsSince, pidNamespace, readStat, readVariable } from '../system/process-table.ts'
import { killProcess, signalGroup } from '../system/process-tree.ts'

/** A process can start another between our look and our kill, so we look again until nothing new turns up, at most this often. */
const maxRounds = 10

/** Processes looked at before other work gets a turn: about 0.6 ms. */
const sliceLength = 64

/** Shorter than any machine needs to give out all its process numbers, so that a short command need not be searched for everywhere. */
const recentMs = 250

export interface EndedCommand {
  readonly groupId: number
  readonly mark: string
  /** Was there a group when the leader ended? If not, its number may by now be someone else's. */
  readonly groupAlive: boolean
  /** Since before the leader was started. */
  readonly ageMs: number
}

/** Kills what a command left in its group or carrying its mark; returns how many there were. Synchronous: 0.1 ms after a short command. */
export function killLeftovers(command: EndedCommand): number {
  if (process.platform !== 'linux') return killGroup(command) ? 1 : 0
  const candidates = command.ageMs < recentMs ? () => listPidsSince(command.groupId) : listPids
  const killed = new Set<number>()
  const find = () => candidates().filter((pid) => !killed.has(pid) && isLeftover(pid, command))
  let found = find()
  killGroup(command)
  for (let round = 0; found.length > 0 && round < maxRounds; round += 1) {
    for (const pid of found) {
      killed.add(pid)
      killProcess(pid)
    }
    found = find()
  }
  return killed.size
}

function killGroup(command: EndedCommand): boolean {
  return command.groupAlive && signalGroup(command.groupId, 'SIGKILL')
}

function isLeftover(pid: number, command: EndedCommand): boolean {
  return readVariable(pid, markVariable) === command.mark || isMember(pid, command)
}

function isMember(pid: number, command: EndedCommand): boolean {
  if (!command.groupAlive) return false
  const stat = readStat(pid)
  return stat !== null && stat.groupId === command.groupId && !stat.ending
}

/** Kills every process that carries this mark; returns how many. Linux; elsewhere 0. */
export function sweepMarked(mark: string): Promise<number> {
  return sweep((found) => found === mark)
}

/** Kills every marked process whose server is gone: what a killed server's commands left behind. Linux; elsewhere 0. */
export function sweepOrphans(isAlive: (owner: MarkOwner) => boolean = isOwnerAlive): Promise<number> {
  const namespace = pidNamespace('self')
  return sweep((mark, pid) => {
    const owner = parseMark(mark)
    // A container's server is alive under a number that means nothing here.
    return owner !== null && pidNamespace(pid) === namespace && !isAlive(owner)
  })
}

export function isOwnerAlive(owner: MarkOwner): boolean {
  const stat = readStat(owner.pid)
  return stat !== null && stat.startTime === owner.startTime && !stat.ending
}

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
