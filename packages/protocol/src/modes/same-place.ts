import { thisMachine } from './setting-names.ts'

/** Folder to begin in, with its machine, as a request names them. */
interface Place {
  readonly cwd: string
  readonly environment: string
  readonly environmentCwd: string
}

interface Placed {
  readonly meta: { readonly cwd: string }
  readonly settings: { readonly environment?: string }
}

/** Returns the place of a conversation for another one. The machine is always named, or a configured one would count. */
export function samePlace({ meta: { cwd }, settings: { environment = thisMachine } }: Placed): Place {
  return { cwd, environment, environmentCwd: cwd }
}
