/** A: full. B: partial. C: none, so unknown commands ask. D: none, the user chose so. */
export type SandboxTier = 'A' | 'B' | 'C' | 'D'

export interface SandboxedCommand {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

export interface WrappedCommand extends SandboxedCommand {
  /** Become descriptors 3, 4, … of the process. Opened anew by each `wrap`, closed after the spawn whatever its outcome. */
  readonly extraFds?: readonly number[]
}

export interface Sandbox {
  readonly tier: SandboxTier
  /** A throw means that the command is not run; it never falls back to running bare. */
  wrap(command: SandboxedCommand): WrappedCommand
}

export function noSandbox(tier: 'C' | 'D'): Sandbox {
  return { tier, wrap: (command) => command }
}
