import type { RunLimits, SandboxMode } from '@parley/protocol'
import { type Facts, kindOf } from './facts.ts'

interface Run {
  /** Facts of the call; null where they are not known. */
  readonly facts: Facts | null
  readonly limits: RunLimits
}

/**
 * Returns the narrowest sandbox mode that lets as much happen as a run. All that leaves the sandbox is full access; the
 * network is given in no narrower mode than `workspace-write`, as by rules.
 */
export function reachOf({ facts, limits: { sandbox, network } }: Run): SandboxMode {
  const ofKind = facts === null ? undefined : kindOf(facts).reach?.(facts)
  if (ofKind !== undefined) return ofKind
  if (sandbox === 'none') return 'danger-full-access'
  return sandbox === 'read-only' && network ? 'workspace-write' : sandbox
}
