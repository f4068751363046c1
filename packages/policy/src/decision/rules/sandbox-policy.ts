import type { ApprovalPolicy, RunLimits, SandboxMode } from '@parley/protocol'

/** Sandbox that a conversation asks for. The limits in force follow from it, call by call. */
export interface SandboxPolicy {
  readonly sandboxMode: SandboxMode
  /** Gives every command of `workspace-write` the network. */
  readonly network?: boolean
}

export interface LimitSettings extends SandboxPolicy {
  readonly approvalPolicy: ApprovalPolicy
}

/** Use of the sandbox that a decision permits: now, or once the question is answered with yes. */
export type SandboxUse = 'sandboxed' | 'unsandboxed'

/**
 * Returns whether a call may ask for more than the sandbox gives. Under `on-failure` such requests are ignored, since
 * a block leads to a question anyway; under `never` they are denied.
 */
export function honoursRequests(policy: ApprovalPolicy): boolean {
  return policy === 'untrusted' || policy === 'on-request'
}

/** Returns whether every command has the network. In read-only mode the setting does not apply. */
export function allHaveNetwork({ sandboxMode, network }: SandboxPolicy): boolean {
  return network === true && sandboxMode === 'workspace-write'
}

/** Returns the limits of calls that have no limits of their own. */
export function usualLimits(use: SandboxUse, { sandboxMode }: SandboxPolicy): RunLimits {
  const isUnlimited = use === 'unsandboxed' || sandboxMode === 'danger-full-access'
  return isUnlimited ? { sandbox: 'none', network: true } : { sandbox: sandboxMode, network: false }
}
