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
