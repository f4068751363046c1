/** Bytes of a value in a line of the log or the wire: a zero byte takes six there. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
