import type { SandboxLimits } from './limits.ts'

export interface SandboxedCommand {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Its three descriptors are a terminal, which is to be its session's. */
  readonly terminal?: boolean
}

export interface WrappedCommand extends SandboxedCommand {
  /** Become descriptors 3, 4, … of the process. Opened anew by each `wrap`, closed after the spawn whatever its outcome. */
  readonly extraFds?: readonly number[]
  /** Closed by whoever starts the command, whatever comes of it. */
  readonly watch?: SandboxWatch
  /** It makes its session and takes the terminal itself, inside. */
  readonly takesTerminal?: boolean
}

/** What the sandbox tells of one command. */
export interface SandboxWatch {
  /** The command's process group where that is not the started process's own; null while there is none. */
  innerGroup(): number | null
  /** Once the started process has ended. */
  outcome(): SandboxOutcome
  close(): void
}

export interface SandboxOutcome {
  /** False: the sandbox could not be set up, and nothing of the command was run. */
  readonly ran: boolean
  /** Processes that the command left behind and that ended with the sandbox. */
  readonly leftovers: number
  /** See `CommandEnd`. */
  readonly triedNetwork?: boolean
}

/** The limits of one command, looked at and ready to be put around it. */
export interface Sandbox {
  /** Null: none. A place that is elsewhere enforces these itself. */
  readonly limits: SandboxLimits | null
  /**
   * A throw means that the command is not run; it never falls back to running bare. A `SpawnProblem` says what was wrong
   * with the command itself.
   */
  wrap(command: SandboxedCommand): WrappedCommand
  /** Once, when the command has ended or was never started: takes away what was made for it. Never throws. */
  release?(): void
}

/** For what may do all that the user may. */
export const noSandbox: Sandbox = { limits: null, wrap: (command) => command }
