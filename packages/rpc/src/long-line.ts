let newest: { readonly line: string; readonly bytes: Buffer } | undefined

/** A long line with its line feed. What goes to many far sides in one tick is encoded once, and forgotten with the tick. */
export function encodeLongLine(line: string): Buffer {
  if (newest?.line === line) return newest.bytes
  const bytes = Buffer.from(`${line}\n`)
  if (newest === undefined) process.nextTick(forget)
  newest = { line, bytes }
  return bytes
}

function forget(): void {
  newest = undefined
}
