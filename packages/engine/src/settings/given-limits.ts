import { stricterSandbox } from '@parley/config'
import { configDefaults } from '@parley/config/defaults'
import type { Projects } from '@parley/policy'
import type { ConversationState, Overrides, Settings } from '@parley/protocol'
import { type Ceiling, leastCeiling } from '../limits/ceiling.ts'
import { configHere, configOnly, readConfig } from './read-config.ts'

type Permissions = Pick<Settings, 'approvalPolicy' | 'sandbox'>

/** Limits that configuration, flags and people gave. A log can narrow them and never widen them. */
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
 * Returns the limits that a recorded conversation may have in this process: those of the configuration of its folder, the
 * caller's profile and `-c`, and the server's flags. `sealed` are folders that a person gave it in an earlier process.
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

/** Narrows recorded permissions to the given ones. */
export function withinGiven(recorded: Permissions, given: GivenLimits): Permissions {
  return {
    sandbox: stricterSandbox(recorded.sandbox, given.sandbox),
    approvalPolicy: asksEnough(recorded.approvalPolicy, given) ? recorded.approvalPolicy : given.approvalPolicy,
  }
}

/**
 * Returns false for a policy under which something runs unasked that the given one asks about: any but `untrusted` where
 * that is given. `never` with full access is the ceiling's affair.
 */
function asksEnough(policy: Settings['approvalPolicy'], { approvalPolicy, neverWithFullAccess }: GivenLimits): boolean {
  if (policy === approvalPolicy || approvalPolicy !== 'untrusted') return true
  return policy === 'never' && neverWithFullAccess
}
