import { errorMessage } from '../../system/errors.ts'
import type { Sandbox, SandboxLimits, SandboxReport } from '../sandbox.ts'

/** Result of a search, as it is kept from one start to the next. */
export interface Finding extends SandboxReport {
  /** Version of bubblewrap, in full enforcement on Linux: `0.8.0`. */
  readonly bubblewrap?: string
  /** Version of the kernel's Landlock, in partial enforcement. */
  readonly landlock?: number
  /** False when something took too long, so that another try might find more. */
  readonly isSure: boolean
}

/** Prepares the limits of commands. Rejects with a sentence where it cannot. */
export type PrepareSandbox = (limits: SandboxLimits) => Promise<Sandbox>

export interface FoundSandbox {
  readonly finding: Finding
  readonly prepare: PrepareSandbox
}

/** Returns a finding without enforcement, for a search that failed. */
export function noSandboxFound(error: unknown): FoundSandbox {
  const reason = `What enforces limits here could not be found out: ${errorMessage(error)}.`
  return { finding: { enforcement: 'none', reason, isSure: false }, prepare: () => Promise.reject(new Error(reason)) }
}
