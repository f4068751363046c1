import type { ApprovalPolicy, RunLimits, SandboxDenial } from '@parley/protocol'
import type { Decision } from './decide.ts'

/** A question whether a command that the sandbox denied something may run again, and what it would run under then. */
export interface Retry {
  readonly decision: Decision
  readonly limits: RunLimits
}

/**
 * Under on-failure a denial is put to the user: with the network where only that was missing, else outside the sandbox.
 * Never runs by itself, and no rule and no grant answers it.
 */
export function retryAfter(denial: SandboxDenial | null, policy: ApprovalPolicy, first: RunLimits): Retry | null {
  if (denial === null || policy !== 'on-failure' || first.sandbox === 'none') return null
  const name = denial.paths.length > 0 ? 'retry-outside' : 'retry-with-network'
  const decision = { verdict: 'ask', rule: { name: `builtin:${name}` }, reason: reasonFor(denial) } as const
  return denial.paths.length > 0
    ? { decision: { ...decision, run: 'unsandboxed' }, limits: { sandbox: 'none', network: true } }
    : { decision: { ...decision, run: 'sandboxed' }, limits: { ...first, network: true } }
}

function reasonFor({ paths, network }: SandboxDenial): string {
  const kept = paths.length === 0 ? [] : [`does not let it change or see ${paths.join(', ')}`]
  const cut = network ? ['gives it no network'] : []
  return `it ran in the sandbox and failed: the sandbox ${[...kept, ...cut].join(' and ')}`
}
