import { type ApprovalPolicy, isStricterSandbox, type SandboxMode } from '@parley/protocol'
import type { Config } from './config-schema.ts'
import { configDefaults } from './defaults.ts'

export function stricterSandbox(one: SandboxMode, other: SandboxMode): SandboxMode {
  return isStricterSandbox(one, other) ? one : other
}

export function looserSandbox(one: SandboxMode, other: SandboxMode): SandboxMode {
  return isStricterSandbox(one, other) ? other : one
}

/**
 * Approval policies from the one that asks least. `never` is not comparable: it rejects calls that the others ask
 * about, and with full access runs them.
 */
const policies: readonly ApprovalPolicy[] = ['on-failure', 'on-request', 'untrusted']

export function isStricterPolicy(wanted: ApprovalPolicy, known: ApprovalPolicy): boolean {
  return wanted !== 'never' && known !== 'never' && policies.indexOf(wanted) > policies.indexOf(known)
}

type At = (path: readonly PropertyKey[]) => string

/**
 * Removes the approval policy and the sandbox mode of a project unless they are stricter than the user's own. `at`
 * returns the place of a key, for the warning.
 */
export function withoutLooser(
  values: Config,
  own: Config,
  at: At,
): { readonly values: Config; readonly warnings: readonly string[] } {
  const { approval_policy: policy, sandbox_mode: mode, ...others } = values
  const ownPolicy = own.approval_policy ?? configDefaults.approval_policy
  const ownMode = own.sandbox_mode ?? configDefaults.sandbox_mode
  const keepsPolicy = policy !== undefined && isStricterPolicy(policy, ownPolicy)
  const keepsMode = mode !== undefined && isStricterSandbox(mode, ownMode)
  return {
    values: {
      ...others,
      ...(keepsPolicy ? { approval_policy: policy } : {}),
      ...(keepsMode ? { sandbox_mode: mode } : {}),
    },
    warnings: [
      ...(policy === undefined || keepsPolicy || policy === ownPolicy
        ? []
        : [notStricter(at, 'approval_policy', { wanted: policy, own: ownPolicy })]),
      ...(mode === undefined || keepsMode || mode === ownMode
        ? []
        : [notStricter(at, 'sandbox_mode', { wanted: mode, own: ownMode })]),
    ],
  }
}

function notStricter(at: At, key: string, { wanted, own }: { wanted: string; own: string }): string {
  return `${at([key])}: ${key} = "${wanted}" is ignored: a project can only be stricter than your own setting, ${own}.`
}
