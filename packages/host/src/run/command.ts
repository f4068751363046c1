import type { ProcessInput, TerminalSize } from '../channels/channels.ts'
import type { CaptureSpec, OutputListener } from '../output/captured-output.ts'
import type { OutputSnapshot } from '../output/output-window.ts'
import type { SpoolEnd } from '../output/spool.ts'
import type { Exchanged } from '../paths/move-aside.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { SpawnError } from '../system/spawn-failure.ts'
import type { StopCause, StopReason } from './stop-ladder.ts'

/** Command with captured output. Only the mark is added to `env`, and no shell interprets `argv`. */
export interface CommandSpec extends CaptureSpec {
  readonly argv: readonly string[]
  readonly cwd: string
  /** Identity (`identityOf`) that the folder must still have at the start. */
  readonly cwdIdentity?: string
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  /** Kind of its stdin: a pipe, or a terminal of this size, which takes its output too. Default empty. */
  readonly input?: 'pipe' | TerminalSize
  /** Name under which an exec-server keeps it for another server of the conversation; default a random one. */
  readonly name?: string
  /** Mark of this command alone (`createMark`): every process that carries it in its env is killed when the command ends. */
  readonly mark: string
}

export interface StartOptions {
  readonly sandbox: Sandbox
  readonly onOutput?: OutputListener
}

export interface RunningCommand {
  /** Id of the process, its session and its group; null until the process exists. */
  readonly pid: number | null
  readonly mark: string
  /** Starts the ladder of signals; a further call takes the next rung at once. Does nothing once `ended` is settled. */
  stop(reason: StopReason): void
  /** Lets it go on in the background, without time limit. Removes the file of its spool. */
  runOn(): void
  output(): OutputSnapshot
  /** Resolves when it runs, or has ended without. */
  readonly started: Promise<void>
  /** Way to its stdin, from its start on; closed for one that was started without. */
  readonly input: ProcessInput
  /** Adds a listener to the output from now on. Returns a function that takes it away. */
  listen(onOutput: OutputListener): () => void
  /** Never rejects. When it settles, every known process of the command has been sent SIGKILL. */
  readonly ended: Promise<CommandEnd>
}

/**
 * Reason of an end. `timedOut`, `interrupted` and `shutdown`: the first cause that stopped it; its exit code or signal
 * is kept. Only commands of another machine end as `lost`, when their end is unknown, and `left`, when they go on there
 * after a `handOver`.
 */
export type EndReason = 'exited' | StopCause | 'spawnFailed' | 'lost' | 'left'

export interface CommandEnd extends OutputSnapshot {
  /**
   * Exit code; null when a signal ended it or it never ended; for `spawnFailed` the code of a shell (127, 126) or null.
   */
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly reason: EndReason
  readonly spawnError?: SpawnError
  /** Reason as one sentence, present when the command is lost. */
  readonly lostBecause?: string
  /** Time from the call of `runCommand` to the leader's end, monotonic. */
  readonly durationMs: number
  /** Absent without a file: the command requested no spool, or had too little output for one. */
  readonly spool?: SpoolEnd
  /** Number of processes it left behind, now killed. Outside Linux only 0 or 1 (for any number). */
  readonly leftovers: number
  /** True when the kernel saw it try to reach a network it does not have. Absent where that is unknown. */
  readonly triedNetwork?: boolean
  /** Guarded paths that were exchanged or made meanwhile, and the fate of each; absent without such paths. */
  readonly exchanged?: readonly Exchanged[]
}
