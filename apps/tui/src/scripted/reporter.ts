import type { ConversationSummary, Envelope } from '@parley/protocol'
import type { RunEnd } from './run-end.ts'

/** Where a scripted run tells what happens. Only results reach stdout. */
export interface Reporter {
  /** Before the first event. */
  opened?(conversation: Pick<ConversationSummary, 'cwd'>): void
  event(envelope: Envelope): void
  problem(text: string): void
  end(end: RunEnd): void
}
