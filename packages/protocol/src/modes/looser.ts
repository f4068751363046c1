import { type ApprovalPolicy, isStricterSandbox, type SandboxMode } from './setting-names.ts'

/** Settings that decide whether a call runs or is asked about, and how far a command reaches. */
export interface PermissionSettings {
  readonly approvalPolicy: ApprovalPolicy
  readonly sandbox: SandboxMode
  readonly network?: boolean
  readonly unixSockets?: boolean
}

/**
 * Policies that are as strict as a policy: every call that this policy asks about or denies, they ask about or deny,
 * too. `never` does not ask, so any other policy would let a yes through.
 */
const noLooserThan: Readonly<Record<ApprovalPolicy, readonly ApprovalPolicy[]>> = {
  untrusted: ['untrusted'],
  'on-request': ['on-request', 'untrusted', 'never'],
  'on-failure': ['on-failure', 'on-request', 'untrusted', 'never'],
  never: ['never'],
}

/** Tests if settings allow a call, unasked or after a yes, that other settings do not allow. */
export function isLooser(wanted: PermissionSettings, now: PermissionSettings): boolean {
  if (isStricterSandbox(now.sandbox, wanted.sandbox)) return true
  if (!noLooserThan[now.approvalPolicy].includes(wanted.approvalPolicy)) return true
  // With full access, `never` runs at once what other policies ask about.
  if (wanted.sandbox === 'danger-full-access' && wanted.approvalPolicy === 'never' && now.approvalPolicy !== 'never')
    return true
  return isAdded(wanted.network, now.network) || isAdded(wanted.unixSockets, now.unixSockets)
}

function isAdded(wanted = false, now = false): boolean {
  return wanted && !now
}
