import type { Sandbox, SandboxLimits } from './sandbox.ts'
/** A: full. B: partial. C: none, so unknown commands ask. D: none, the user chose so. */
export type SandboxTier = 'A' | 'B' | 'C' | 'D'

const ranks: Readonly<Record<SandboxTier, number>> = { A: 0, B: 1, C: 2, D: 3 }

/** Returns true when `tier` enforces less than `than`. */
export function isWeaker(tier: SandboxTier, than: SandboxTier): boolean {
  return ranks[tier] > ranks[than]
}

export interface SandboxReport {
  readonly tier: Exclude<SandboxTier, 'D'>
  /** Sentence for the user: what enforces the limits here, or what is missing and how to get it. */
  readonly reason: string
}

/** Means of one machine to enforce limits. */
export interface Sandboxes {
  /** Reports what enforces limits, found by trying once; later reports can only be worse. Never rejects. */
  report(): Promise<SandboxReport>
  /** Tries again after a sandbox could not be started. Never better than the report before. */
  recheck(): Promise<SandboxReport>
  /**
   * Prepares limits from the files as they are now, so it is called right before the start. Rejects with a sentence
   * where they cannot be enforced; the command is then not run.
   */
  prepare(limits: SandboxLimits): Promise<Sandbox>
}

/** Returns the answer of a machine where nothing enforces limits. */
export function noSandboxes(reason: string): Sandboxes {
  const report = () => Promise.resolve({ tier: 'C', reason } as const)
  return { report, recheck: report, prepare: () => Promise.reject(new Error(reason)) }
}
