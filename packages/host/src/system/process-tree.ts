import { markVariable } from './marks.ts'
import { listPids, listPidsSince, readStat, readVariable } from './process-table.ts'

/** Limit of rounds: a process can start another between a look and its kill, so each round looks again. */
const maxRounds = 10

/** Age of a command below which only younger processes are searched: no machine gives out all its process numbers in that time. */
const recentMs = 250

interface EndedTree {
  readonly groupId: number
  readonly mark: string
  /** False when the group was empty as its leader ended: its number may belong to another group by now. */
  readonly groupAlive: boolean
  /** Time since just before the start of the leader. */
  readonly ageMs: number
}

/**
 * Kills what a process left in its group or carrying its mark; returns how many there were. Synchronous: 0.1 ms after a
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

/** Sends a signal to every member of a process group; returns true if the group has a member. */
export function signalGroup(groupId: number, signal: NodeJS.Signals | 0): boolean {
  return send(-groupId, signal)
}

/** Sends SIGKILL to one process, but never to this process or to the first one. */
export function killProcess(pid: number): boolean {
  return pid > 1 && pid !== process.pid && send(pid, 'SIGKILL')
}

function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal)
  } catch {
    // ESRCH: no such process. EPERM: another user's (a setuid program), or on macOS only zombies.
    return false
  }
}

const highestSignal = 64

/** Returns true for the exit code by which shells and sandboxes report a death by signal: 128 plus its number. */
export function isSignalExitCode(exitCode: number | null): boolean {
  return exitCode !== null && exitCode > 128 && exitCode <= 128 + highestSignal
}
