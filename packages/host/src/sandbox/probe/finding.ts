import type { Sandbox, SandboxLimits } from '../sandbox.ts'
import type { SandboxReport } from '../sandboxes.ts'

/** What a search came to, as it is kept from one start to the next. */
export interface Finding extends SandboxReport {
  /** Of bubblewrap, in tier A on Linux: `0.8.0`. */
  readonly bubblewrap?: string
  /** Of the kernel's Landlock, in tier B. */
  readonly landlock?: number
  /** False where another try might find more: something took too long. */
  readonly isSure: boolean
}

/** Puts the limits around commands. Rejects with a sentence where it cannot. */
export type PrepareSandbox = (limits: SandboxLimits) => Promise<Sandbox>

export interface FoundSandbox {
  readonly finding: Finding
  readonly prepare: PrepareSandbox
}

/** What is not known to enforce limits enforces none. */
export function noSandboxFound(error: unknown): FoundSandbox {
  const problem = error instanceof Error ? error.message : String(error)
  const reason = `What enforces limits here could not be found out: ${problem}.`
  return { finding: { tier: 'C', reason, isSure: false }, prepare: () => Promise.reject(new Error(reason)) }
}
