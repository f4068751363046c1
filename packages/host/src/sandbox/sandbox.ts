import type { SandboxLimits } from './limits.ts'

export interface SandboxedCommand {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** It gets a terminal of its own, which a new session would lose. */
  readonly terminal?: boolean
}

export interface WrappedCommand extends SandboxedCommand {
  /** Become descriptors 3, 4, … of the process. Opened anew by each `wrap`, closed after the spawn whatever its outcome. */
  readonly extraFds?: readonly number[]
  /** Read end of what the sandbox says of itself; whoever starts the command reads and closes it. */
  readonly statusFd?: number
}

/** The limits of one command, looked at and ready to be put around it. */
export interface Sandbox {
  /** Null: none. A place that is elsewhere enforces these itself. */
  readonly limits: SandboxLimits | null
  /** A throw means that the command is not run; it never falls back to running bare. */
  wrap(command: SandboxedCommand): WrappedCommand
  /** Once, when the command has ended or was never started: takes away what was made for it. Never throws. */
  release?(): void
}

/** For what may do all that the user may. */
export const noSandbox: Sandbox = { limits: null, wrap: (command) => command }
