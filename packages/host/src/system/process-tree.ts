/** Sends to every member of a process group; true if there was one to send to. */
export function signalGroup(groupId: number, signal: NodeJS.Signals | 0): boolean {
  return send(-groupId, signal)
}

export function killProcess(pid: number): boolean {
  return pid > 1 && pid !== process.pid && send(pid, 'SIGKILL')
}

function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal)
  } catch {
    // ESRCH: gone. EPERM: not ours (a setuid program), or on macOS only zombies.
    return false
  }
}

const highestSignal = 64

/** Whether an exit code is that of a shell, or of a sandbox, for what a signal has ended: 128 and its number. */
export function saysKilled(exitCode: number | null): boolean {
  return exitCode !== null && exitCode > 128 && exitCode <= 128 + highestSignal
}
