import { limits } from '@parley/protocol'
import { unlessStopped } from '../stopper.ts'
import type { DecodedLine } from './decode-line.ts'

/** A line of stdin, counted from 1: what it says, or why it says nothing. */
export type ReadLine = { readonly line: number } & DecodedLine

/** Longest line: what the request that it becomes may have. */
const longestBytes = limits.wireLine

/** Reads lines one by one. */
export interface LineReader {
  /** Resolves when lines can be decoded: from then on a read waits for stdin alone. */
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

/** Loads the schemas, which no other run needs. */
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
