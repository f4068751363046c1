import type { ApprovalPolicy, SandboxMode } from '@parley/protocol'

const sandboxes: readonly SandboxMode[] = ['read-only', 'workspace-write', 'danger-full-access']

export function isStricterSandbox(wanted: SandboxMode, known: SandboxMode): boolean {
  return sandboxes.indexOf(wanted) < sandboxes.indexOf(known)
}

export function stricterSandbox(one: SandboxMode, other: SandboxMode): SandboxMode {
  return isStricterSandbox(one, other) ? one : other
}

export function looserSandbox(one: SandboxMode, other: SandboxMode): SandboxMode {
  return isStricterSandbox(one, other) ? other : one
}

/**
 * From the one that asks least. `never` has no place among them: it refuses what the others ask about, and with full
 * access runs what they ask about.
 */
const policies: readonly ApprovalPolicy[] = ['on-failure', 'on-request', 'untrusted']

export function isStricterPolicy(wanted: ApprovalPolicy, known: ApprovalPolicy): boolean {
  return wanted !== 'never' && known !== 'never' && policies.indexOf(wanted) > policies.indexOf(known)
}
