export const approvalPolicies = ['untrusted', 'on-failure', 'on-request', 'never'] as const

/** Sandbox modes, the strictest first. */
export const sandboxModes = ['read-only', 'workspace-write', 'danger-full-access'] as const

export type SandboxMode = (typeof sandboxModes)[number]
export type ApprovalPolicy = (typeof approvalPolicies)[number]

/** Tests if every call runs with full access and without a question. */
export function isUnasked({
  sandbox,
  approvalPolicy,
}: {
  readonly sandbox: SandboxMode
  readonly approvalPolicy: ApprovalPolicy
}): boolean {
  return sandbox === 'danger-full-access' && approvalPolicy === 'never'
}

/** Tests if a mode lets commands write to less than another. */
export function isStricterSandbox(wanted: SandboxMode, known: SandboxMode): boolean {
  return sandboxModes.indexOf(wanted) < sandboxModes.indexOf(known)
}

/** Name of the server's own machine among the environments. */
export const thisMachine = 'local'

/** Levels of effort that clients offer, the least first. Settings take any other word of a provider, too. */
export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const

export const effortWords: Readonly<Record<(typeof efforts)[number], string>> = {
  none: 'answers without thinking first',
  minimal: 'hardly thinks',
  low: 'thinks briefly: quick and cheap',
  medium: 'thinks as much as most work needs',
  high: 'thinks long, for hard problems',
  xhigh: 'thinks longest: slow and dear, and not every model has it',
}
