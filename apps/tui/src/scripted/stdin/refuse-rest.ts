import type { Failure } from '@parley/protocol'
import type { OutputPace } from '../output/run-output.ts'
import type { RejectedLine } from '../reporter.ts'
import type { LineReader, ReadLine } from './input-lines.ts'

interface Refusal {
  readonly lines: LineReader
  /** Failure of messages and answers; a line that is wrong keeps its own. */
  readonly failure: Failure
  readonly reject: (rejected: RejectedLine) => void
  readonly pace: Pick<OutputPace, 'isBehind' | 'drained'>
}

/** Time without a line after which a run that was stopped waits for no more, and the most for all, in ms. */
const patience = { lineMs: 50, wholeMs: 1000 }

const never = new AbortController().signal

/**
 * Refuses the lines of a run that was stopped: each is answered or refused. Resolves when stdin has given what it has;
 * lines that come later are refused until the process ends.
 */
export async function refuseRest(refusal: Refusal): Promise<void> {
  // Loading takes longer than the patience, which would end before the first line is read.
  await refusal.lines.ready()
  const over = AbortSignal.timeout(patience.wholeMs)
  const hasEnded = await refuseLines(refusal, () => AbortSignal.any([over, AbortSignal.timeout(patience.lineMs)]))
  if (!hasEnded) void refuseLines(refusal, () => never)
}

/** Resolves to true at the end of stdin, to false when a signal aborts. */
async function refuseLines(refusal: Refusal, signalOf: () => AbortSignal): Promise<boolean> {
  const { lines, reject, failure, pace } = refusal
  for (;;) {
    const signal = signalOf()
    const read = await lines.next(signal).catch(() => null)
    if (read === null) return !signal.aborted
    const why = 'problem' in read ? { code: 'invalidInput', message: read.problem } : failure
    if (isRefused(read)) reject({ line: read.line, failure: why })
    if (signal === never && pace.isBehind) await pace.drained()
  }
}

/** Tells if a line has no effect any more; a run that was stopped has done what an interrupt asks for. */
function isRefused(read: ReadLine): boolean {
  return 'problem' in read || read.input.type !== 'interrupt'
}
