import { firstBytes, lastBytes, utf8Length } from './characters/utf8.ts'

/** Share of the limit that the beginning gets; the end of an output usually says more. */
const startShare = 0.4

interface ClippableOutput {
  readonly head: string
  /** End of the output; follows `head` directly when nothing is omitted. */
  readonly tail: string
  readonly totalBytes: number
  readonly omittedBytes: number
}

/**
 * Returns the output whole when it fits into the limit, else its beginning and its end with one line between them.
 * The line says how many bytes are missing and, in the words of `readMore`, how to read them.
 */
export function clipForModel(output: ClippableOutput, readMore: string, limitBytes: number): string {
  const { head, tail, totalBytes, omittedBytes } = output
  const whole = head + tail
  if (omittedBytes === 0 && utf8Length(whole) <= limitBytes) return whole
  const startBytes = Math.floor(limitBytes * startShare)
  const start = wholeLines(firstBytes(omittedBytes === 0 ? whole : head, startBytes))
  const end = lastBytes(omittedBytes === 0 ? whole : tail, limitBytes - startBytes)
  const missing = Math.max(0, totalBytes - utf8Length(start) - utf8Length(end))
  return `${start}\n[… ${missing} of ${totalBytes} bytes left out; ${readMore} …]\n${end}`
}

/** Cuts a text at its last line break, unless that loses more than half of it. */
function wholeLines(text: string): string {
  const lastBreak = text.lastIndexOf('\n')
  return lastBreak > text.length / 2 ? text.slice(0, lastBreak) : text
}
