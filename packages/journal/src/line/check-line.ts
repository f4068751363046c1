import { checksumState } from './checksum.ts'
import { decodeLine } from './line.ts'

/** Bytes of the longest line that is read: logs of earlier versions may have longer ones than are written now. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024

/** `unchecked`: edited by hand, the checksum taken out. `seqHint`: number a damaged line gives itself, unverified. */
export type LineCheck =
  | { readonly state: 'sound' | 'unchecked'; readonly seq: number; readonly type: string }
  | { readonly state: 'bad'; readonly reason: 'checksum' | 'syntax'; readonly seqHint: number | null }

/** Verifies a line by its checksum, or by its form when it has none. */
export function checkLine(line: Buffer): LineCheck {
  switch (checksumState(line)) {
    case 'intact':
      return checkIntact(line)
    case 'broken':
      return { state: 'bad', reason: 'checksum', seqHint: seqHint(line) }
    case 'absent':
      return checkEdited(line)
  }
}

const PREFIX_BYTES = 128
const PREFIX = /^\{"seq":(\d{1,15}),"at":-?\d[\d.eE+-]*,"event":\{"type":"([\w./-]+)"/
const SEQ = /^\{"seq":(\d{1,15}),/

/** Reads seq and type from the first bytes, unverified. Returns null for another form than `encodeLine` writes. */
export function readPrefix(line: Buffer): { readonly seq: number; readonly type: string } | null {
  const found = PREFIX.exec(line.toString('latin1', 0, PREFIX_BYTES))
  const type = found?.[2]
  return type === undefined ? null : { seq: Number(found?.[1]), type }
}

function checkIntact(line: Buffer): LineCheck {
  const prefix = readPrefix(line)
  if (prefix !== null && prefix.seq > 0) return { state: 'sound', ...prefix }
  const envelope = decodeLine(line.toString())
  if (envelope === null) return { state: 'bad', reason: 'syntax', seqHint: seqHint(line) }
  return { state: 'sound', seq: envelope.seq, type: envelope.event.type }
}

/**
 * Accepts a line as edited by hand only when it has exactly the three keys. A damaged `"crc"` key leaves either no JSON
 * or a fourth key, so no flipped bit passes for an edit.
 */
function checkEdited(line: Buffer): LineCheck {
  const envelope = decodeLine(line.toString())
  if (envelope === null || Object.keys(envelope).length !== 3) {
    return { state: 'bad', reason: 'syntax', seqHint: seqHint(line) }
  }
  return { state: 'unchecked', seq: envelope.seq, type: envelope.event.type }
}

function seqHint(line: Buffer): number | null {
  const found = SEQ.exec(line.toString('latin1', 0, PREFIX_BYTES))
  return found === null ? null : Number(found[1])
}
