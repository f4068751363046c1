import type { SandboxLimits } from './limits.ts'
import type { Sandbox } from './sandbox.ts'

/** How much of a command's limits something enforces on one machine. */
export type Enforcement = 'full' | 'partial' | 'none'

const ranks: Readonly<Record<Enforcement, number>> = { full: 0, partial: 1, none: 2 }

/** Whether less is enforced. */
export function isWeaker(enforcement: Enforcement, than: Enforcement): boolean {
  return ranks[enforcement] > ranks[than]
}

export interface SandboxReport {
  readonly enforcement: Enforcement
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
  const report = () => Promise.resolve({ enforcement: 'none', reason } as const)
  return { report, recheck: report, prepare: () => Promise.reject(new Error(reason)) }
}
