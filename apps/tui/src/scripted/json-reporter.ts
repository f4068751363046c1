import { stripEffects } from '../view/text/control-characters.ts'
import type { Reporter } from './reporter.ts'
import type { ResultStream } from './stdout.ts'

/** One event a line, the same as the server's; the last line is always `run.ended`. */
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
