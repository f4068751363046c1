import { type Failure, limits } from '@parley/protocol'
import { unlessStopped } from '../end/stopper.ts'
import type { OutputPace } from '../output/run-output.ts'
import type { RejectedLine } from '../reports/reporter.ts'
import type { DecodedLine } from './decode-line.ts'

/** A line of stdin with its number, counted from 1. */
export type ReadLine = { readonly line: number } & DecodedLine

/** Longest line: as long as the request that it becomes. */
const longestBytes = limits.wireLine

export interface LineReader {
  /** Resolves when lines can be decoded: later reads wait for stdin only. */
  ready(): Promise<void>
  /** Resolves to the next line; null at the end. Rejects with the signal's reason on abort: the next read gets that line. */
  next(signal: AbortSignal): Promise<ReadLine | null>
}

export function createLineReader(stdin: AsyncIterable<Buffer | string>): LineReader {
  const lines = readLines(stdin)
  let reading: Promise<IteratorResult<ReadLine, void>> | null = null
  return {
    async ready() {
      await loadDecoder()
    },
    async next(signal) {
      reading ??= lines.next()
      const { value } = await unlessStopped(reading, signal)
      reading = null
      return value ?? null
    },
  }
}

/** Loads the schemas; no other run needs them. */
const loadDecoder = () => import('./decode-line.ts')

/** Reads and decodes the lines of stdin as they come; empty ones are left out. */
async function* readLines(stdin: AsyncIterable<Buffer | string>): AsyncGenerator<ReadLine, void, undefined> {
  const { decodeLine } = await loadDecoder()
  let line = 0
  for await (const bytes of splitLines(stdin)) {
    line++
    const read = bytes === null ? { problem: 'It is longer than 32 MiB.' } : decodeLine(bytes)
    if (read !== null) yield { line, ...read }
  }
}

/** Splits at line feeds; null stands for a line that is too long. A last line without its line feed counts. */
async function* splitLines(stdin: AsyncIterable<Buffer | string>): AsyncGenerator<Buffer | null, void, undefined> {
  let parts: Buffer[] = []
  let sizeBytes = 0
  const add = (part: Buffer) => {
    sizeBytes += part.length
    if (sizeBytes <= longestBytes) parts.push(part)
    else parts = []
  }
  const take = () => {
    const whole = sizeBytes > longestBytes ? null : Buffer.concat(parts)
    parts = []
    sizeBytes = 0
    return whole
  }
  for await (const value of stdin) {
    let rest = typeof value === 'string' ? Buffer.from(value) : value
    for (let end = rest.indexOf(lineFeed); end >= 0; end = rest.indexOf(lineFeed)) {
      add(rest.subarray(0, end))
      yield take()
      rest = rest.subarray(end + 1)
    }
    add(rest)
  }
  if (sizeBytes > 0) yield take()
}

const lineFeed = 10

interface Rejection {
  readonly lines: LineReader
  /** Failure of messages and answers; a line that is wrong keeps its own. */
  readonly failure: Failure
  readonly reject: (rejected: RejectedLine) => void
  readonly pace: Pick<OutputPace, 'isBehind' | 'drained'>
}

/** Longest wait of a stopped run for one more line, and for all of them, in ms. */
const restLimits = { lineMs: 50, wholeMs: 1000 }

const never = new AbortController().signal

/**
 * Rejects the lines that a stopped run has not read, so that each line is answered or rejected. Resolves when stdin is empty;
 * lines that come later are rejected until the process ends.
 */
export async function rejectRest(rejection: Rejection): Promise<void> {
  // Loading takes longer than the limits, which would end before the first line is read.
  await rejection.lines.ready()
  const over = AbortSignal.timeout(restLimits.wholeMs)
  const hasEnded = await rejectLines(rejection, () => AbortSignal.any([over, AbortSignal.timeout(restLimits.lineMs)]))
  if (!hasEnded) void rejectLines(rejection, () => never)
}

/** Resolves to true at the end of stdin, to false when a signal aborts. */
async function rejectLines(rejection: Rejection, signalOf: () => AbortSignal): Promise<boolean> {
  const { lines, reject, failure, pace } = rejection
  for (;;) {
    const signal = signalOf()
    const read = await lines.next(signal).catch(() => null)
    if (read === null) return !signal.aborted
    const why = 'problem' in read ? { code: 'invalidInput', message: read.problem } : failure
    if (isWithoutEffect(read)) reject({ line: read.line, failure: why })
    if (signal === never && pace.isBehind) await pace.drained()
  }
}

/** Returns true for a line that has lost its effect; a stopped run has done what an interrupt asks for. */
function isWithoutEffect(read: ReadLine): boolean {
  return 'problem' in read || read.input.type !== 'interrupt'
}
