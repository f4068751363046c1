import { constants } from 'node:os'
import type { ProcessExit } from '@parley/host'

/** As a shell says it; -1 when it was never learned. */
export function exitCodeOf({ exitCode, signal }: ProcessExit): number {
  if (exitCode !== null) return exitCode
  return signal === null ? -1 : 128 + constants.signals[signal]
}
