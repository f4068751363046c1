import type { Reporter } from './reporter.ts'
import type { ResultStream } from './stdout.ts'

/** One event a line, the same as the server's; the last line is always `run.ended`. */
export function createJsonReporter(stdout: ResultStream): Reporter {
  return {
    event: (envelope) => stdout.line(JSON.stringify(envelope)),
    problem: (text) => process.stderr.write(`parley: ${text}\n`),
    end: (end) => stdout.line(JSON.stringify({ type: 'run.ended', ...end })),
  }
}
