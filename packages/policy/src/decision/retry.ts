import type { ApprovalPolicy, RunLimits, SandboxBlock } from '@parley/protocol'
import type { Decision } from './decide.ts'

/** A question whether a command that the sandbox blocked may run again, and what it would run under then. */
export interface Retry {
  readonly decision: Decision
  readonly limits: RunLimits
}

/**
 * Under on-failure a block is put to the user: with the network where only that was missing, else outside the sandbox.
 * Never runs by itself, and no rule and no grant answers it.
 */
export function retryAfter(block: SandboxBlock | null, policy: ApprovalPolicy, first: RunLimits): Retry | null {
  if (block === null || policy !== 'on-failure' || first.sandbox === 'none') return null
  const name = block.paths.length > 0 ? 'retry-outside' : 'retry-with-network'
  const decision = { verdict: 'ask', rule: { name: `builtin:${name}` }, reason: reasonFor(block) } as const
  return block.paths.length > 0
    ? { decision: { ...decision, run: 'unsandboxed' }, limits: { sandbox: 'none', network: true } }
    : { decision: { ...decision, run: 'sandboxed' }, limits: { ...first, network: true } }
}

function reasonFor({ paths, network }: SandboxBlock): string {
  const kept = paths.length === 0 ? [] : [`does not let it change or see ${paths.join(', ')}`]
  const cut = network ? ['gives it no network'] : []
  return `it ran in the sandbox and failed: the sandbox ${[...kept, ...cut].join(' and ')}`
}
