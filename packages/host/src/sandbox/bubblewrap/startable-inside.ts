import { type Attempted, assertStartable } from '../../spawn-failure.ts'
import { isWithin } from '../is-within.ts'
import type { Mount } from './plan-mounts.ts'

/** Throws for a program or a directory that is not there inside, as outside the system would tell. */
export function assertStartableInside(command: Attempted, mounts: readonly Mount[], scratch: string | null): void {
  assertStartable(command, (path) => outsidePath(path, mounts, scratch))
}

/** What stands behind a path inside; null for what starts empty there. */
export function outsidePath(path: string, mounts: readonly Mount[], scratch: string | null): string | null {
  const around = mounts.findLast((mount) => isWithin(path, mount.path))
  switch (around?.kind) {
    case 'memory':
    case 'emptyFolder':
    case 'emptyFile':
      // A folder is there all the same.
      return path === around.path ? path : null
    case 'temporary':
      return path === around.path ? path : scratch === null ? null : `${scratch}${path.slice(around.path.length)}`
    default:
      return path
  }
}
