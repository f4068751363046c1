import type { Sandbox, SandboxLimits } from './sandbox.ts'
/** Share of a command's limits that this machine enforces. */
export type Enforcement = 'full' | 'partial' | 'none'

const ranks: Readonly<Record<Enforcement, number>> = { full: 0, partial: 1, none: 2 }

/** Returns true when `enforcement` enforces less than `than`. */
export function isWeaker(enforcement: Enforcement, than: Enforcement): boolean {
  return ranks[enforcement] > ranks[than]
}

export interface SandboxReport {
  readonly enforcement: Enforcement
  /** Sentence for the user: what enforces the limits here, or what is missing and how to get it. */
  readonly reason: string
}

/** Place and report of what outlives single commands. */
export interface SandboxState {
  /** Folder of this user alone in which reserved names are noted; absent notes none. */
  readonly stateFolder?: string
  /** Called with the sentences of `Sandbox.release`. */
  readonly onExchanged?: (sentences: readonly string[]) => void
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
  const report = () => Promise.resolve({ enforcement: 'none', reason } as const)
  return { report, recheck: report, prepare: () => Promise.reject(new Error(reason)) }
}
