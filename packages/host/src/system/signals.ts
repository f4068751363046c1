import { errorCode, orNull } from '@parley/text'

/** Tests if a process with this number exists, of any user. Needs no descriptor. */
export function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
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
  // ESRCH: no such process. EPERM: another user's (a setuid program), or on macOS only zombies.
  return orNull(() => process.kill(target, signal)) ?? false
}

const highestSignal = 64

/** Returns true for an exit code with which shells and sandboxes report a death by signal: 128 plus its number. */
export function isSignalExitCode(exitCode: number | null): boolean {
  return exitCode !== null && exitCode > 128 && exitCode <= 128 + highestSignal
}
