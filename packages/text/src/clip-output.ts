import { firstBytes, lastBytes, utf8Length } from './utf8-text.ts'

/** Bytes of command output the model is told, unless the tool says otherwise. */
export const modelOutputBytes = 16 * 1024

/** Of the limit, what goes to the beginning; the end of an output usually says more. */
const startShare = 0.4

export interface ClippableOutput {
  readonly head: string
  /** Directly after `head` when nothing is omitted. */
  readonly tail: string
  readonly totalBytes: number
  readonly omittedBytes: number
}

/**
 * Output as the model gets it: whole when it fits, else its beginning and end with one line between that says how
 * much is missing and how to read it.
 */
export function clipForModel(output: ClippableOutput, readMore: string, limitBytes = modelOutputBytes): string {
  const { head, tail, totalBytes, omittedBytes } = output
  const whole = head + tail
  if (omittedBytes === 0 && utf8Length(whole) <= limitBytes) return whole
  const startBytes = Math.floor(limitBytes * startShare)
  const start = wholeLines(firstBytes(omittedBytes === 0 ? whole : head, startBytes))
  const end = lastBytes(omittedBytes === 0 ? whole : tail, limitBytes - startBytes)
  const missing = Math.max(0, totalBytes - utf8Length(start) - utf8Length(end))
  return `${start}\n[… ${missing} of ${totalBytes} bytes left out; ${readMore} …]\n${end}`
}

/** To the last line break, unless that would cost half of it. */
function wholeLines(text: string): string {
  const lastBreak = text.lastIndexOf('\n')
  return lastBreak > text.length / 2 ? text.slice(0, lastBreak) : text
}
