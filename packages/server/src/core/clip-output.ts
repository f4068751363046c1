/** Bytes of command output the model is told, unless the tool says otherwise. */
export const modelOutputBytes = 16 * 1024

export interface ClippableOutput {
  readonly head: string
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
  if (omittedBytes === 0 && whole.length <= limitBytes) return whole
  const start = wholeLinesFrom(whole.slice(0, Math.floor(limitBytes * 0.4)))
  const source = tail === '' ? head : tail
  const end = source.slice(-Math.floor(limitBytes * 0.6))
  const missing = Math.max(0, totalBytes - start.length - end.length)
  return `${start}\n[… ${missing} of ${totalBytes} bytes left out; ${readMore} …]\n${end}`
}

function wholeLinesFrom(text: string): string {
  const lastBreak = text.lastIndexOf('\n')
  return lastBreak > text.length / 2 ? text.slice(0, lastBreak) : text
}
