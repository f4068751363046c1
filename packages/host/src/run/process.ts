import type { Sandbox } from '../sandbox/sandbox.ts'
import type { SpawnError } from './command.ts'

/** What to run. Nothing is added to `env` but a mark, and nothing is interpreted. */
export interface ProcessSpec {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** What the program is told as its own name, when that is not `argv[0]`. */
  readonly arg0?: string
  /** A terminal of its own instead of pipes. */
  readonly terminal: TerminalSize | null
  /** Without a terminal: whether `write` reaches it; otherwise its stdin is empty. */
  readonly pipeStdin: boolean
}

export interface TerminalSize {
  readonly rows: number
  readonly cols: number
}

export type OutputStream = 'stdout' | 'stderr' | 'pty'

export interface ProcessExit {
  /** Null when a signal ended it, or it could not be ended. */
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  /** Its sandbox could not be set up after all: nothing of it was run, whatever the exit code. */
  readonly spawnError?: SpawnError
  /** See `CommandEnd`. */
  readonly triedNetwork?: boolean
}

export interface ProcessOptions {
  readonly sandbox: Sandbox
  /** True order within a stream. `chunk` is valid only during the call. Must not throw. */
  onOutput(stream: OutputStream, chunk: Buffer): void
  /** Once, if it was started; output may follow. */
  onExit(exit: ProcessExit): void
}

/** A process whose owner reads its output as it comes and talks to it. */
export interface RunningProcess {
  readonly pid: number | null
  /** Null when it runs. Settles before any output. */
  readonly started: Promise<SpawnError | null>
  /** It has a terminal or a piped stdin, and that was not closed. */
  readonly takesInput: boolean
  /** Settles when the system has taken the bytes; false when there is nobody to take them. */
  write(bytes: Buffer): Promise<boolean>
  /** Bytes given to `write` that the system has not taken yet. */
  readonly unwrittenBytes: number
  /** After what was written. False when it has no pipe for a stdin. */
  closeStdin(): boolean
  /** False when it has no terminal. */
  resize(size: TerminalSize): boolean
  /** To its process group; false when there is none any more. */
  signal(signal: NodeJS.Signals): boolean
  /** SIGKILL to its whole tree. */
  kill(): void
  /** Reads no further, so that its pipes fill and it waits. Nothing is lost, also when it exits meanwhile. */
  pause(): void
  resume(): void
  /** After its exit and its last output, with all that it started killed. Never rejects. */
  readonly closed: Promise<void>
}
