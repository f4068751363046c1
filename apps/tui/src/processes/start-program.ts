import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { errorMessage } from '@parley/text'

/**
 * Starts a helper program of the window; no shell reads its words. Returns null if it cannot start, and calls
 * `onFailed` with the reason in a later tick. Never throws.
 */
export function startProgram(
  [program = '', ...words]: readonly string[],
  options: SpawnOptions,
  onFailed: (reason: string) => void,
): ChildProcess | null {
  try {
    const child = spawn(program, words, options)
    child.on('error', ({ message }) => onFailed(message))
    // Without free descriptors Node makes no pipes, whatever its types say.
    return child.pid === undefined ? null : child
  } catch (error) {
    // Node throws for too little memory or too long words; other failures are events.
    queueMicrotask(() => onFailed(errorMessage(error)))
    return null
  }
}
