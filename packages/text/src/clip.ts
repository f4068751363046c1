/** Limit of command output that the model receives, unless the tool sets another. */
const modelOutputBytes = 16 * 1024

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

/** Cuts a text at its last line break, unless that loses more than half of it. */
function wholeLines(text: string): string {
  const lastBreak = text.lastIndexOf('\n')
  return lastBreak > text.length / 2 ? text.slice(0, lastBreak) : text
}

/** Returns the length of a text in bytes of UTF-8; a lone surrogate counts as the three bytes of its replacement. */
export function utf8Length(text: string): number {
  let bytes = 0
  for (const character of text) bytes += bytesOf(character)
  return bytes
}

/** Returns the longest beginning of a text that fits into the limit, without cutting a character. */
export function firstBytes(text: string, limitBytes: number): string {
  let bytes = 0
  let end = 0
  for (const character of text) {
    bytes += bytesOf(character)
    if (bytes > limitBytes) break
    end += character.length
  }
  return text.slice(0, end)
}

/** Returns the longest end of a text that fits into the limit, without cutting a character. */
export function lastBytes(text: string, limitBytes: number): string {
  let bytes = 0
  let start = text.length
  while (start > 0) {
    const width = isLowSurrogate(text, start - 1) && isHighSurrogate(text, start - 2) ? 2 : 1
    bytes += bytesOf(text.slice(start - width, start))
    if (bytes > limitBytes) break
    start -= width
  }
  return text.slice(start)
}

function bytesOf(character: string): number {
  const codePoint = character.codePointAt(0) ?? 0
  if (codePoint < 0x80) return 1
  if (codePoint < 0x800) return 2
  return codePoint < 0x10000 ? 3 : 4
}

function isHighSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index)
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLowSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index)
  return unit >= 0xdc00 && unit <= 0xdfff
}
