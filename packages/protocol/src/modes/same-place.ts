import type { Core } from '../schema/state.ts'
import { thisMachine } from './setting-names.ts'

/** Folder to begin in, with its machine, as a request names them. */
interface Place {
  readonly cwd: string
  readonly environment: string
  readonly environmentCwd: string
}

interface Placed {
  readonly meta: Pick<Core['meta'], 'cwd'>
  readonly settings: Pick<Core['settings'], 'environment'>
}

/** Returns the place of a conversation for another one. The machine is always named, or a configured one would count. */
export function samePlace({ meta: { cwd }, settings: { environment = thisMachine } }: Placed): Place {
  return { cwd, environment, environmentCwd: cwd }
}
