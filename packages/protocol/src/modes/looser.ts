import { type ApprovalPolicy, isStricterSandbox, type SandboxMode } from './setting-names.ts'

/** Settings that decide what runs, what is asked, and what a command may reach. */
export interface Limits {
  readonly approvalPolicy: ApprovalPolicy
  readonly sandbox: SandboxMode
  readonly network?: boolean
  readonly unixSockets?: boolean
}

/**
 * Policies under which no call runs unasked, or is asked about, that another policy asks about or denies. `never` asks
 * about nothing, so that each other policy would let a yes through.
 */
const noLooserThan: Readonly<Record<ApprovalPolicy, readonly ApprovalPolicy[]>> = {
  untrusted: ['untrusted'],
  'on-request': ['on-request', 'untrusted', 'never'],
  'on-failure': ['on-failure', 'on-request', 'untrusted', 'never'],
  never: ['never'],
}

/** Tests if settings let anything happen, unasked or by a yes, that others do not. */
export function isLooser(wanted: Limits, now: Limits): boolean {
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
