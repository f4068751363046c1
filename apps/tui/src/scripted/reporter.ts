import type { Envelope, Failure, TokenCounts, TurnOutcome } from '@parley/protocol'
import type { ExitCode } from '../cli/exit-codes.ts'

/** How a run ended: its terminal event in JSON, its last words in plain mode. */
export interface RunEnd {
  readonly exitCode: ExitCode
  readonly conversationId: string | null
  readonly outcome: TurnOutcome | null
  /** The final message. */
  readonly answer: string | null
  readonly failure: Failure | null
  readonly denials: readonly { readonly itemId: string; readonly title: string; readonly reason: string }[]
  readonly usage: TokenCounts | null
}

/** Where a scripted run tells what happens. Only results reach stdout. */
export interface Reporter {
  event(envelope: Envelope): void
  problem(text: string): void
  end(end: RunEnd): void
}
