import type { OutputFilter } from '../output/output-filter.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'

/** What to run. Nothing is added to `env` but the mark, and nothing is interpreted: a shell is asked for by naming it in `argv`. */
export interface CommandSpec {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  /** One per command (`createMark`): whatever carries it in its environment is killed when this command ends. */
  readonly mark: string
  readonly spool?: SpoolSpec
  /** Bytes of output kept in memory from the start, 128 KiB unless told. */
  readonly headBytes?: number
  /** Bytes of output kept in memory from the end, 128 KiB unless told. */
  readonly tailBytes?: number
  /** One per command. Memory, spool and listener get what it lets through, and all counts are of that. */
  readonly filter?: OutputFilter
}

export interface SpoolSpec {
  /** Must not exist; its directory must. Created 0600. */
  readonly path: string
  /** The file is made when there is more output than this; 0 unless told. */
  readonly afterBytes?: number
  /** 64 MiB unless told. Output past it is counted and dropped. */
  readonly maxBytes?: number
}

export interface StartOptions {
  readonly sandbox: Sandbox
  /** Every byte in true order. `chunk` is valid only during the call: copy what is kept. `totalBytes` includes it. Must not throw. */
  readonly onOutput?: (chunk: Buffer, totalBytes: number) => void
}

export type StopReason = 'interrupted' | 'shutdown'

export interface RunningCommand {
  /** Null until the process exists; also the id of its session and process group. */
  readonly pid: number | null
  readonly mark: string
  /** Starts the ladder of signals; a further call goes to its next rung at once. Does nothing once `ended` is settled. */
  stop(reason: StopReason): void
  /** The output so far. */
  output(): OutputSnapshot
  /** Never rejects. When it settles, all that is known of the command has been sent SIGKILL. */
  readonly ended: Promise<CommandEnd>
}

export interface OutputSnapshot {
  readonly totalBytes: number
  readonly head: Buffer
  readonly tail: Buffer
  /** Bytes between head and tail that memory no longer has: `totalBytes = head + omitted + tail`. */
  readonly omittedBytes: number
}

/**
 * `timedOut`, `interrupted` and `shutdown` say who stopped it first; the exit code or signal is kept beside them. `lost`:
 * it ran on another machine, and how it ended cannot be told; never of a `Host`.
 */
export type EndReason = 'exited' | 'timedOut' | StopReason | 'spawnFailed' | 'lost'

export interface CommandEnd extends OutputSnapshot {
  /** Null when a signal ended it or it never ended; for `spawnFailed` what a shell would say (127, 126) or null. */
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly reason: EndReason
  readonly spawnError?: SpawnError
  /** Of one that is lost: one sentence. */
  readonly lostBecause?: string
  /** From the call of `startCommand` to the leader's end, monotonic. */
  readonly durationMs: number
  /** Absent without a file: none was asked for, or there was too little for one. */
  readonly spool?: SpoolEnd
  /** Processes it left behind, now killed. Outside Linux only "none" (0) or "some" (1) is known. */
  readonly leftovers: number
  /** The kernel saw it try to reach a network it does not have. Absent where that is not known. */
  readonly triedNetwork?: boolean
}

export interface SpawnError {
  /** An errno name, such as `ENOENT`. */
  readonly code: string
  readonly message: string
  /** What was wrong: `system` is a limit or a missing resource of the machine. */
  readonly subject: 'program' | 'cwd' | 'arguments' | 'sandbox' | 'system'
}

export interface SpoolEnd {
  readonly path: string
  readonly bytes: number
  /** False when the cap or an error cut it short. */
  readonly complete: boolean
  /** The errno name that ended the writing, such as `ENOSPC`; absent when the cap did. */
  readonly errorCode?: string
}
