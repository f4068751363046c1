import type { Envelope } from '@parley/protocol'
import { stripEffects } from '../view/text/control-characters.ts'
import { closingLines } from './closing-lines.ts'
import { createProgress } from './progress.ts'
import type { Reporter } from './reporter.ts'
import { retryLine } from './retry-line.ts'
import type { RunEnd } from './run-end.ts'
import type { ResultStream } from './stdout.ts'

interface PlainOutput {
  readonly stdout: Pick<ResultStream, 'line'>
  readonly stderr: { write(text: string): unknown }
  /** Which of the two a person sees on a terminal: there nothing from a model has an effect, and nothing is shown twice. */
  readonly onTerminal: { readonly stdout: boolean; readonly stderr: boolean }
  /** Not with `--ephemeral`. */
  readonly isKept: boolean
  readonly now: () => number
}

/** The final message on stdout, alone and at the end; everything on the way there on stderr. */
export function createPlainReporter({ stdout, stderr, onTerminal, isKept, now }: PlainOutput): Reporter {
  const progress = createProgress(stderr)

  function event({ event: happened }: Envelope): void {
    switch (happened.type) {
      case 'item.started':
        progress.introduce(happened.item)
        break
      case 'execution.started':
        progress.begin(happened.itemId)
        break
      case 'item.delta':
        progress.stream(happened.itemId, happened.text)
        break
      case 'item.completed':
        progress.finish(happened.item)
        break
      case 'item.discarded':
        progress.say('· the connection was lost; the answer starts again')
        break
      case 'retry.scheduled':
        progress.say(retryLine(happened, now()))
        break
      default:
    }
  }

  function end(run: RunEnd): void {
    for (const line of closingLines(run, isKept)) progress.say(line)
    const { answer } = run
    const isShown = onTerminal.stdout && onTerminal.stderr
    if (answer !== null && !isShown) stdout.line((onTerminal.stdout ? stripEffects(answer) : answer).trimEnd())
  }

  return { event, problem: (text) => progress.say(`parley: ${text}`), end }
}
