const elidedStart = '"event":{"type":"model.responded","turnId":'

/**
 * A log line as clients get it: the notification around the very bytes that were stored, so that an event is
 * serialised once. `model.responded` is elided; its number and checksum stay, so sequences stay dense.
 */
export function notificationLine(conversationId: string, line: string): string {
  return `{"jsonrpc":"2.0","method":"conversation/event","params":${envelopeText(conversationId, line)}}`
}

export function envelopeText(conversationId: string, line: string): string {
  return `{"conversationId":${JSON.stringify(conversationId)},${elide(line).slice(1)}`
}

function elide(line: string): string {
  // Backwards from where it must begin: a long line is not searched to its end.
  const start = line.lastIndexOf(elidedStart, 64)
  if (start < 0) return line
  const turnEnd = line.indexOf(',', start + elidedStart.length)
  const crcStart = line.lastIndexOf(',"crc":')
  const crc = crcStart < 0 ? '}' : line.slice(crcStart)
  return `${line.slice(0, turnEnd)},"elided":true}${crc}`
}

/**
 * Bytes of the longest line that is written, its LF not counted. Half of what the wire takes (32 MiB), so that a line
 * also fits in the notification and in the page that carry it.
 */
export const MAX_WRITTEN_LINE_BYTES = 16 * 1024 * 1024

/** Bytes of the longest line that is read: logs of earlier versions may have longer ones than are written now. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024

/** A line that its readers would not take. Nothing was written; the same line is refused every time. */
export class LineTooLong extends Error {
  override readonly name = 'LineTooLong'
  readonly sizeBytes: number

  constructor(sizeBytes: number) {
    super(`a line of ${sizeBytes} bytes; ${MAX_WRITTEN_LINE_BYTES} can be read back`)
    this.sizeBytes = sizeBytes
  }
}

/** Bytes of a line as it is written. Throws `LineTooLong`. */
export function writtenBytes(line: string): number {
  const sizeBytes = Buffer.byteLength(line)
  if (sizeBytes > MAX_WRITTEN_LINE_BYTES) throw new LineTooLong(sizeBytes)
  return sizeBytes
}
