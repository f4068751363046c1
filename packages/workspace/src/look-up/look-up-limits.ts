import { dirname } from 'node:path'
import type { SandboxLimits } from '@parley/host'
import { liesWithin } from '../files/workspace-path.ts'
import type { BoundedRun } from './run-bounded.ts'

/**
 * What a look-up program of ours may do: read. A secret place stays closed to it unless it was asked to look there,
 * which policy has judged; whatever leads it astray finds nothing.
 */
export function lookUpLimits({ command, cwd, looksAt }: BoundedRun, secrets: readonly string[]): SandboxLimits {
  const [program] = command
  const needed = [cwd, looksAt, dirname(program)]
  return {
    mode: 'read-only',
    // Not to be written to; named so that they are seen where a private /tmp would hide them.
    writableRoots: [...new Set(needed)],
    network: false,
    unixSockets: false,
    masked: secrets.filter((place) => !liesWithin(place, looksAt) && !needed.some((path) => liesWithin(path, place))),
    scratch: null,
  }
}
