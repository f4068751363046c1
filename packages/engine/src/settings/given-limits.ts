import { stricterSandbox } from '@parley/config'
import { configDefaults } from '@parley/config/defaults'
import type { Projects } from '@parley/policy'
import type { ConversationState, Overrides, Settings } from '@parley/protocol'
import { type Ceiling, leastCeiling } from '../limits/ceiling.ts'
import { configHere, configOnly, readConfig } from './read-config.ts'

type Permissions = Pick<Settings, 'approvalPolicy' | 'sandbox'>

/** Limits by configuration, flags and people. A log can narrow them and never widen them. */
export interface GivenLimits extends Permissions {
  /** True where full access may go with the policy `never`. */
  readonly neverWithFullAccess: boolean
  readonly writableRoots: readonly string[]
}

interface GivenLimitsPorts {
  readonly home: string
  readonly projects: Pick<Projects, 'of'>
  readonly ceiling: () => Ceiling
}

/**
 * Returns the limits that a recorded conversation may have in this process. They come from the configuration of its folder,
 * the caller's profile and `-c`, and the server's flags. `sealed` are folders that a person added in an earlier process.
 */
export function givenLimits(
  { core }: ConversationState,
  { overrides, sealed }: { readonly overrides: Overrides; readonly sealed: readonly string[] },
  { home, projects, ceiling }: GivenLimitsPorts,
): GivenLimits {
  const isHere = core.settings.environment === undefined
  const values = isHere
    ? configHere(overrides.cwd ?? core.meta.cwd, configOnly(overrides), { home, projects }).effective.values
    : readConfig(home, configOnly(overrides)).values
  const { sandbox: most, neverWithFullAccess } = ceiling()
  const { sandbox_mode: sandbox = configDefaults.sandbox_mode } = values
  const { approval_policy: approvalPolicy = configDefaults.approval_policy } = values
  const roots = isHere ? (values.sandbox_workspace_write?.writable_roots ?? []) : []
  return {
    // Only a flag or the user's own file raises the ceiling to full access.
    sandbox: most === 'danger-full-access' && sandbox === leastCeiling ? most : sandbox,
    approvalPolicy,
    neverWithFullAccess,
    writableRoots: [...roots, ...sealed],
  }
}

export function withinGiven(recorded: Permissions, given: GivenLimits): Permissions {
  return {
    sandbox: stricterSandbox(recorded.sandbox, given.sandbox),
    approvalPolicy: asksEnough(recorded.approvalPolicy, given) ? recorded.approvalPolicy : given.approvalPolicy,
  }
}

/**
 * Returns false for a policy that asks about less than the given policy: any but `untrusted` where that is given. The
 * ceiling decides about `never` with full access.
 */
function asksEnough(policy: Settings['approvalPolicy'], { approvalPolicy, neverWithFullAccess }: GivenLimits): boolean {
  if (policy === approvalPolicy || approvalPolicy !== 'untrusted') return true
  return policy === 'never' && neverWithFullAccess
}
