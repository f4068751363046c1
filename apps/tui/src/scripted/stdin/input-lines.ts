import { limits } from '@parley/protocol'
import { unlessStopped } from '../stopper.ts'
import type { DecodedLine } from './decode-line.ts'

/** A line of stdin, counted from 1: what it says, or why it says nothing. */
export type ReadLine = { readonly line: number } & DecodedLine

/** Longest line: what the request that it becomes may have. */
const longestBytes = limits.wireLine

/** Reads and decodes the lines of stdin as they come; empty ones are left out. Rejects with the signal's reason on abort. */
export async function* readLines(
  stdin: AsyncIterable<Buffer | string>,
  signal: AbortSignal,
): AsyncGenerator<ReadLine, void, undefined> {
  // Loads the schemas, which no other run needs.
  const { decodeLine } = await import('./decode-line.ts')
  let line = 0
  for await (const bytes of splitLines(stdin, signal)) {
    line++
    const read = bytes === null ? { problem: 'It is longer than 32 MiB.' } : decodeLine(bytes)
    if (read !== null) yield { line, ...read }
  }
}

/** Splits at line feeds; null stands for a line that is too long. A last line without its line feed counts. */
async function* splitLines(
  stdin: AsyncIterable<Buffer | string>,
  signal: AbortSignal,
): AsyncGenerator<Buffer | null, void, undefined> {
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
  const chunks = stdin[Symbol.asyncIterator]()
  for (;;) {
    const { value, done } = await unlessStopped(chunks.next(), signal)
    if (done === true) break
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
