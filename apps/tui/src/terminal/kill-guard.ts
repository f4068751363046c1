import { spawn } from 'node:child_process'
import { leaveSequence } from './modes.ts'

/**
 * Gives the terminal back when this process is killed and cannot: a small shell that waits for our word at its stdin.
 * If the pipe ends without one, it resets the terminal's modes. It runs in a session of its own, so that no key ends it.
 */
export function guardAgainstKill(): Disposable {
  const script = `IFS= read -r word; [ "$word" = bye ] || { stty sane <&1; printf '%s\\r\\n' "$1"; }`
  const guard = spawn('/bin/sh', ['-c', script, 'parley-guard', leaveSequence()], {
    stdio: ['pipe', 'inherit', 'ignore'],
    detached: true,
  })
  // Without a shell there is no guard, and a pipe that broke has no reader to tell.
  guard.on('error', () => undefined)
  guard.stdin.on('error', () => undefined)
  guard.unref()
  return { [Symbol.dispose]: () => void guard.stdin.end('bye\n') }
}
