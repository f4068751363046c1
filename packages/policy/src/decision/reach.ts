import type { RunLimits, SandboxMode } from '@parley/protocol'
import { type Facts, kindOf } from './facts.ts'

/**
 * Returns the narrowest sandbox mode that allows as much as a run. Everything outside the sandbox is full access; as
 * for rules, the network takes at least `workspace-write`. `facts`: of the call; null where they are not known.
 */
export function reachOf({ facts, limits }: { readonly facts: Facts | null; readonly limits: RunLimits }): SandboxMode {
  const { sandbox, network } = limits
  const ofKind = facts === null ? undefined : kindOf(facts).reach?.(facts)
  if (ofKind !== undefined) return ofKind
  if (sandbox === 'none') return 'danger-full-access'
  return sandbox === 'read-only' && network ? 'workspace-write' : sandbox
}
