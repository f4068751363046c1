import type { SandboxLimits } from './limits.ts'
import type { Finding } from './probe/finding.ts'
import type { Sandbox } from './sandbox.ts'

/** Puts the limits around commands. Rejects with a sentence where it cannot. */
export type Prepare = (limits: SandboxLimits) => Promise<Sandbox>

export interface Found {
  readonly finding: Finding
  readonly prepare: Prepare
}

/** What is not known to enforce limits enforces none. */
export function nothingFound(error: unknown): Found {
  const problem = error instanceof Error ? error.message : String(error)
  const reason = `What enforces limits here could not be found out: ${problem}.`
  return { finding: { enforcement: 'none', reason, isSure: false }, prepare: () => Promise.reject(new Error(reason)) }
}
