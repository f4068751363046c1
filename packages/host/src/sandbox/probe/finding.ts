import type { SandboxReport } from '../sandboxes.ts'

/** What a search came to, as it is kept from one start to the next. */
export interface Finding extends SandboxReport {
  /** Of bubblewrap, on Linux, where enforcement is full: `0.8.0`. */
  readonly bubblewrap?: string
  /** Of the kernel's Landlock, where enforcement is partial. */
  readonly landlock?: number
  /** False where another try might find more: something took too long. */
  readonly isSure: boolean
}
