import type { SpawnError } from '../run/command.ts'
import { signalGroup } from '../system/process-tree.ts'

/** What a command may do. Paths are absolute and real (no links in them), of the machine it runs on. */
export interface SandboxLimits {
  readonly mode: 'read-only' | 'workspace-write'
  /** Folders that may be written to, the workspace first; without effect where the mode is read-only. */
  readonly writableRoots: readonly string[]
  /** All or nothing. Without it there is a loopback of its own, on which test servers work. */
  readonly network: boolean
  /** Whether unix sockets may be made; well-known ones of the system stay masked. */
  readonly unixSockets: boolean
  /** Files and folders that cannot be read: where secrets are kept. Those that do not exist are left out by the sandbox. */
  readonly masked: readonly string[]
  /** A private folder that exists, seen as /tmp; null gives an empty one that goes with the command. */
  readonly scratch: string | null
}

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

/** To the command's own group within its sandbox; false while there is none that is known. */
export function signalInside(watch: SandboxWatch | null, signal: NodeJS.Signals): boolean {
  const group = watch?.innerGroup() ?? null
  return group !== null && signalGroup(group, signal)
}

export function outcomeOf(watch: SandboxWatch | null): SandboxOutcome | null {
  return watch?.outcome() ?? null
}

const maxWords = 300

/** For a command of which nothing was run. What it seems to have said was said by the sandbox. */
export function sandboxFailure(said: Buffer | null): SpawnError {
  const line = said?.toString('utf8').trim().split('\n').at(-1)?.slice(0, maxWords) ?? ''
  const message = `The sandbox could not be set up${line === '' ? '' : `: ${line}`}`
  return { code: 'ENOSYS', subject: 'sandbox', message }
}
