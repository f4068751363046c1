import type { Files, OpenFile } from './files.ts'
import { decodeHeader, encodeHeader, LOG_FORMAT } from './header.ts'
import { splitLines } from './split-lines.ts'

/**
 * Says in the header that only programs of this format may write the log: earlier ones look for that nowhere else, and
 * would run again what they do not see started. The only bytes of a log that are ever written over; the line keeps its
 * length. A header that is lost, or was edited by hand, is left as it is.
 */
export function raiseMinReader(files: Files, file: OpenFile): void {
  const [line] = splitLines(files, file, 0)
  const header = line?.bytes == null ? null : decodeHeader(line.bytes)
  if (header === null || header.minReader >= LOG_FORMAT) return
  const raised = Buffer.from(encodeHeader({ ...header, minReader: LOG_FORMAT }))
  if (raised.length === line?.bytes?.length) files.overwrite(file, raised, line.byteOffset)
}
