import type { Sandbox, SandboxLimits } from './sandbox.ts'
/** A: full. B: partial. C: none, so unknown commands ask. D: none, the user chose so. */
export type SandboxTier = 'A' | 'B' | 'C' | 'D'

const ranks: Readonly<Record<SandboxTier, number>> = { A: 0, B: 1, C: 2, D: 3 }

/** Whether less is enforced. */
export function isWeaker(tier: SandboxTier, than: SandboxTier): boolean {
  return ranks[tier] > ranks[than]
}

export interface SandboxReport {
  readonly tier: Exclude<SandboxTier, 'D'>
  /** One sentence for people: what enforces the limits here, or what is missing and how to get it. */
  readonly reason: string
}

/** What can enforce limits on one machine. */
export interface Sandboxes {
  /** Found by trying, once; later it can only become worse. Never rejects. */
  report(): Promise<SandboxReport>
  /** Tries again after a sandbox could not be started. Never better than what `report` said. */
  recheck(): Promise<SandboxReport>
  /**
   * Looks at the files as they are now, so it is called right before the start. Rejects with a sentence where the
   * limits cannot be enforced; the command is then not run.
   */
  prepare(limits: SandboxLimits): Promise<Sandbox>
}

/** Where nothing enforces limits. */
export function noSandboxes(reason: string): Sandboxes {
  const report = () => Promise.resolve({ tier: 'C', reason } as const)
  return { report, recheck: report, prepare: () => Promise.reject(new Error(reason)) }
}
