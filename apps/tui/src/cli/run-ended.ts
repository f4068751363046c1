import type {
  ConversationId,
  EventOf,
  Failure,
  Finding,
  StopReason,
  TokenCounts,
  TurnId,
  TurnOutcome,
} from '@parley/protocol'
import { wantsCodexLines, wantsEndLine } from './early-arguments.ts'
import { type ExitCode, exitCodeOf } from './exit-codes.ts'
import type { OutputStream } from './launch-server.ts'

/** End of a scripted run: the last line in JSON, the last lines in plain mode. */
export interface RunEnd {
  readonly exitCode: ExitCode
  readonly conversationId: ConversationId | null
  /** The last turn. */
  readonly turnId: TurnId | null
  readonly outcome: TurnOutcome | null
  /** Reason why the last turn stopped. */
  readonly stopReason: StopReason | null
  /** Final message of a completed turn. */
  readonly answer: string | null
  /** Reason of an exit code other than 0; null otherwise. */
  readonly failure: Failure | null
  readonly denials: readonly EventOf<'turn.ended'>['denials'][number][]
  /** Tokens of all turns of the run. */
  readonly usage: TokenCounts | null
  /** Present for a review with a report. */
  readonly findings?: readonly Finding[]
  /** Changed files of a review that the model did not see whole; left out without such files. */
  readonly notLookedAt?: readonly string[]
}

export const withoutTurn = {
  turnId: null,
  outcome: null,
  stopReason: null,
  answer: null,
  failure: null,
  denials: [],
  usage: null,
} as const

/** Returns the end of a run without a turn. */
export function failedRun(failure: Failure, conversationId: ConversationId | null = null): RunEnd {
  return { exitCode: exitCodeOf(failure.code), conversationId, ...withoutTurn, failure }
}

/** Returns the last line of stdout with `--json`, and the only one with `--output-format result`. */
export function endLine(end: RunEnd): string {
  return JSON.stringify({ type: 'run.ended', ...end })
}

/** Writes the end of a run that has written to stdout. */
type EndRun = (failure: Failure) => Promise<void>

let running: EndRun | null = null

/** Makes a run write the end of stdout from now on, because only the run knows what stdout contains; null ends that. */
export function leaveEndTo(run: EndRun | null): void {
  running = run
}

/**
 * Writes the last lines of a command that failed, with the sentence on stderr. The format comes from the command line
 * as typed, because the command line itself may be wrong.
 */
export async function writeFailure(
  argv: readonly string[],
  { failure, exitCode }: Pick<RunEnd, 'exitCode'> & { readonly failure: Failure },
  { say, stdout }: { readonly say: (message: string) => void; readonly stdout: Pick<OutputStream, 'write'> },
): Promise<void> {
  if (running !== null) return running(failure)
  say(failure.message)
  if (wantsCodexLines(argv)) stdout.write(failedLines(failure.message))
  else if (wantsEndLine(argv)) stdout.write(`${endLine({ ...failedRun(failure), exitCode })}\n`)
}

/** Returns the Codex lines of a run without a turn. */
function failedLines(message: string): string {
  const events = [
    { type: 'error', message },
    { type: 'turn.failed', error: { message } },
  ]
  return events.map((event) => `${JSON.stringify(event)}\n`).join('')
}

/** Returns a sentence about a stdout that cannot be written to. */
export function brokenOutputText({ message }: Error): string {
  // The message ends with the name of the function that failed.
  return `stdout cannot be written to (${message.replace(/, write$/, '')}).`
}
