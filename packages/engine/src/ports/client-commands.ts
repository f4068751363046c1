import type { OutputStream, ProcessExit, RunningProcess, TerminalSize } from '@parley/host'
import type { Overrides } from '@parley/protocol'

/** Command that a client runs without a conversation. */
export interface ClientCommand {
  readonly argv: readonly string[]
  /** Absolute path. */
  readonly cwd: string
  /** Variables that are added to the variables of commands; null takes one away. */
  readonly env: Readonly<Record<string, string | null>>
  /** Size of a terminal of its own; null gives it pipes. */
  readonly terminal: TerminalSize | null
  readonly pipeStdin: boolean
  /** Settings that override the configuration. */
  readonly overrides: Pick<Overrides, 'sandbox' | 'network' | 'writableRoots'>
  /** Called in true order within a stream; `chunk` is valid only during the call. Secrets are replaced by their marks. */
  onOutput(stream: OutputStream, chunk: Buffer): void
}

/** `refused`: policy denies it, or would have to ask, which needs a conversation. Neither other kind has run anything. */
export type StartedCommand =
  | { readonly kind: 'running'; readonly process: RunningProcess; readonly exit: Promise<ProcessExit> }
  | { readonly kind: 'refused' | 'failed'; readonly reason: string }

/**
 * Judges a command like a command of a new conversation in its folder, and starts it under the limits of that decision.
 * It asks no question. Rejects with the errors of a new conversation's settings: `aboveCeiling`, `cwdMissing`,
 * `configInvalid`.
 */
export type StartCommand = (command: ClientCommand) => Promise<StartedCommand>
