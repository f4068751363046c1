import type { ConversationSummary, Envelope } from '@parley/protocol'
import { stripEffects } from '../view/text/control-characters.ts'
import type { RunEnd } from './run-end.ts'
import type { ResultStream } from './stdout.ts'

/** Output of a scripted run. Only results reach stdout. */
export interface Reporter {
  /** Called before the first event. */
  opened?(conversation: Pick<ConversationSummary, 'cwd'>): void
  event(envelope: Envelope): void
  problem(text: string): void
  end(end: RunEnd): void
}

/** Creates the reporter that writes the server's events as lines; the last line is always `run.ended`. */
export function createJsonReporter(
  stdout: Pick<ResultStream, 'line'>,
  stderr: { write(text: string): unknown },
): Reporter {
  const problem = (text: string) => void stderr.write(`parley: ${stripEffects(text)}\n`)
  return {
    event: (envelope) => stdout.line(JSON.stringify(envelope)),
    problem,
    end(end) {
      if (end.failure !== null) problem(end.failure.message)
      stdout.line(JSON.stringify({ type: 'run.ended', ...end }))
    },
  }
}
