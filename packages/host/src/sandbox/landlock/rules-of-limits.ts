import type { GuardedPlaces } from '../guarded/guarded-places.ts'
import type { SandboxLimits } from '../limits.ts'
import { type ListFolder, planRules, type Rule } from './plan-rules.ts'
import { fullWrite, reads, rightsOnDevice } from './rights.ts'

/** Raw disks and the terminals of others are there as well, so it is these and no more. */
const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty'] as const

export interface RuleSources {
  /** Of the kernel's Landlock. */
  readonly version: number
  readonly list: ListFolder
  /** The folder of the command for what is temporary. */
  readonly scratch: string
  /** What stays as it is below the writable roots. */
  readonly guarded: GuardedPlaces
}

/** All that a command may reach, as rules. */
export async function rulesOfLimits(limits: SandboxLimits, sources: RuleSources): Promise<Rule[]> {
  const { list, version, scratch, guarded } = sources
  const hidden = new Set(['/dev', ...limits.masked])
  const granted = [
    { path: '/', rights: reads.listing },
    { path: scratch, rights: fullWrite | reads.content },
    ...devices.map((name) => ({ path: `/dev/${name}`, rights: rightsOnDevice(version) })),
    ...(await planRules({ path: '/', rights: reads.content }, hidden, list)),
  ]
  if (limits.mode === 'read-only') return granted
  const { writableRoots: roots } = limits
  // A rule for a root would reach whatever is made in it later: a `.git` is taken to be in each.
  const unmade = roots.map((root) => `${root === '/' ? '' : root}/.git`)
  const kept = new Set([...hidden, ...unmade, ...guarded.kept, ...guarded.missing])
  const plans = [
    // Once more, for a root that lies in a place that is hidden otherwise.
    ...roots.map((path) => planRules({ path, rights: reads.content }, hidden, list)),
    ...[...roots, ...guarded.writable].map((path) => planRules({ path, rights: fullWrite }, kept, list)),
  ]
  return [...granted, ...(await Promise.all(plans)).flat()]
}
