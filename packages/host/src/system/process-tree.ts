import { markVariable } from './marks.ts'
import { listPids, listPidsSince, readStat, readVariable } from './process-table.ts'
import { killProcess, signalGroup } from './signals.ts'

/** Limit of rounds: a process can start another between a look and its kill, so each round looks again. */
const maxRounds = 10

/** Age of a command below which only younger processes are searched: no machine gives out all its process numbers in that time. */
const recentMs = 250

export interface EndedTree {
  readonly groupId: number
  readonly mark: string
  /** False when the group was empty as its leader ended: its number may belong to another group by now. */
  readonly groupAlive: boolean
  /** Time since just before the start of the leader. */
  readonly ageMs: number
}

/**
 * Kills the processes that a process left in its group or with its mark; returns how many. Synchronous: 0.1 ms after a
 * short command. Outside Linux only the group is killed and the result is 0 or 1.
 */
export function killTree(tree: EndedTree): number {
  if (process.platform !== 'linux') return killGroup(tree) ? 1 : 0
  const candidates = tree.ageMs < recentMs ? () => listPidsSince(tree.groupId) : listPids
  const killed = new Set<number>()
  const find = () => candidates().filter((pid) => !killed.has(pid) && isMember(pid, tree))
  let found = find()
  killGroup(tree)
  for (let round = 0; found.length > 0 && round < maxRounds; round += 1) {
    for (const pid of found) {
      killed.add(pid)
      killProcess(pid)
    }
    found = find()
  }
  return killed.size
}

function killGroup(tree: EndedTree): boolean {
  return tree.groupAlive && signalGroup(tree.groupId, 'SIGKILL')
}

function isMember(pid: number, tree: EndedTree): boolean {
  return readVariable(pid, markVariable) === tree.mark || isInGroup(pid, tree)
}

function isInGroup(pid: number, tree: EndedTree): boolean {
  if (!tree.groupAlive) return false
  const stat = readStat(pid)
  return stat !== null && stat.groupId === tree.groupId && !stat.ending
}
