import type { ApprovalPolicy, RunLimits, SandboxMode } from '@parley/protocol'
import type { Facts, McpFacts } from './facts.ts'

interface LimitSettings {
  readonly approvalPolicy: ApprovalPolicy
  readonly sandboxMode: SandboxMode
  readonly network?: boolean
}

/** Wishes for more than the sandbox gives: under on-failure they are ignored (a block asks anyway), under never denied. */
export function honoursWishes(policy: ApprovalPolicy): boolean {
  return policy === 'untrusted' || policy === 'on-request'
}

/** The setting is one of `workspace-write`: what may only read has no more network for it. */
export function allHaveNetwork({ sandboxMode, network }: Pick<LimitSettings, 'sandboxMode' | 'network'>): boolean {
  return network === true && sandboxMode === 'workspace-write'
}

/**
 * What a call runs under once it may run at the level that was decided. A command that is known to only look gets no
 * more than that needs: should the knowledge be wrong, it still changes nothing.
 */
export function runLimits(facts: Facts, run: 'sandboxed' | 'unsandboxed', settings: LimitSettings): RunLimits {
  const { approvalPolicy, sandboxMode } = settings
  // Started before the call, under limits that the mode of the conversation does not widen.
  if (facts.kind === 'mcp') return limitsOfServer(facts)
  if (run === 'unsandboxed' || sandboxMode === 'danger-full-access') return { sandbox: 'none', network: true }
  if (facts.kind !== 'command') return { sandbox: sandboxMode, network: false }
  const wished = facts.network !== undefined && honoursWishes(approvalPolicy)
  if (facts.knownSafe && !wished) return { sandbox: 'read-only', network: false }
  return { sandbox: sandboxMode, network: wished || allHaveNetwork(settings) }
}

function limitsOfServer({ confined }: McpFacts): RunLimits {
  return confined === undefined
    ? { sandbox: 'none', network: true }
    : { sandbox: confined.mode, network: confined.network }
}
