import type { Streams } from '../../cli/launch-server.ts'
import type { StoppedError, Stopper } from '../end/stopper.ts'
import { openResultStream, type ResultStream } from './result-stream.ts'

/** Time for the readers to take the last lines of a stopped run. */
const patienceMs = 3000

/** Pace at which readers take the output of a run. */
export interface OutputPace {
  /** True while one of the readers has much to read. */
  readonly isBehind: boolean
  /** Resolves when no reader has much to read, or can no longer be written to. */
  drained(): Promise<void>
  /** Resolves 3 s after a run was stopped: readers that do not read are not awaited any longer. */
  outOfPatience(): Promise<StoppedError>
}

export interface RunOutput extends OutputPace {
  readonly stdout: ResultStream
  readonly stderr: ResultStream
  /** Writes to stdout after everything on stderr was read: both may be the same pipe. */
  readonly lastWords: Pick<ResultStream, 'line'>
  /** Resolves to null when both were read, or to the error of stdout; an error of stderr does not count. */
  done(): Promise<NodeJS.ErrnoException | null>
}

export function openRunOutput(stopper: Stopper, streams: Pick<Streams, 'stdout' | 'stderr'>): RunOutput {
  const stdout = openResultStream(streams.stdout.fd)
  const stderr = openResultStream(streams.stderr.fd)
  let patience: Promise<StoppedError> | null = null
  let lastWords = Promise.resolve()
  return {
    stdout,
    stderr,
    lastWords: {
      line(text) {
        lastWords = Promise.all([lastWords, stderr.done()]).then(() => stdout.line(text))
      },
    },
    get isBehind() {
      return stdout.isBehind || stderr.isBehind
    },
    async drained() {
      await Promise.all([stdout.drained(), stderr.drained()])
    },
    outOfPatience() {
      patience ??= patienceOf(stopper)
      return patience
    },
    async done() {
      await Promise.all([stderr.done(), lastWords])
      return await stdout.done()
    },
  }
}

function patienceOf({ signal }: Stopper): Promise<StoppedError> {
  return new Promise((resolve) => {
    const wait = () => setTimeout(resolve, patienceMs, signal.reason).unref()
    if (signal.aborted) wait()
    else signal.addEventListener('abort', wait, { once: true })
  })
}
