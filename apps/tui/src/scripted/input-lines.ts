import { type InputLine, inputLine } from '@parley/protocol/schema'
import { unlessStopped } from './stopper.ts'

/** A line of stdin, counted from 1: what it says, or why it says nothing. */
export type ReadLine =
  | { readonly line: number; readonly input: InputLine }
  | { readonly line: number; readonly problem: string }

/** Longest line: a message of 8 MiB, escaped, and an image. */
const longestBytes = 32 << 20

/** Reads and decodes the lines of stdin as they come; empty ones are left out. Rejects with the signal's reason on abort. */
export async function* readLines(
  stdin: AsyncIterable<Buffer | string>,
  signal: AbortSignal,
): AsyncGenerator<ReadLine, void, undefined> {
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

/** Decodes one line; null for an empty one. */
function decodeLine(bytes: Buffer): { readonly input: InputLine } | { readonly problem: string } | null {
  const text = textOf(bytes)
  if (text === null) return { problem: 'It is not UTF-8 text.' }
  if (text.trim() === '') return null
  const value = parse(text)
  if (value === undefined) return { problem: 'It is not JSON.' }
  const read = inputLine.safeParse(value)
  if (read.success) return { input: read.data }
  const issue = read.error.issues[0]
  const place = issue?.path.join('.') ?? ''
  const message = issue?.message ?? 'not valid'
  return { problem: place === '' ? `${message}.` : `${place}: ${message}.` }
}

function textOf(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
