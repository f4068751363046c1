import type { GuardSurroundings } from '../guarded/find-guarded.ts'

/** What there is to build a sandbox with. */
export interface BubblewrapMachine extends GuardSurroundings {
  /** Absolute path of `bwrap`, from where commands cannot write. */
  readonly program: string
  /** Major, minor, patch. */
  readonly version: readonly [number, number, number]
}

export interface BubblewrapFeatures {
  /** 0.7: a limit to what is kept in memory. */
  readonly sizes: boolean
  /** 0.8: no further user namespaces; before it the filter refuses them. */
  readonly disablesNamespaces: boolean
}

export function featuresOf([major, minor]: BubblewrapMachine['version']): BubblewrapFeatures {
  const isAtLeast = (wanted: number) => major > 0 || minor >= wanted
  return { sizes: isAtLeast(7), disablesNamespaces: isAtLeast(8) }
}
