import { crc32 } from 'node:zlib'

/** `,"crc":"` + 8 hex digits + `"}`: the last bytes of every line parley writes. */
const KEY = ',"crc":"'
const END = '"}'
const SUFFIX_BYTES = KEY.length + 8 + END.length
const SUFFIX = /^,"crc":"([0-9a-f]{8})"\}$/

export type ChecksumState = 'intact' | 'broken' | 'absent'

export interface ChecksummedText {
  readonly text: string
  /** Eight hex digits. */
  readonly crc: string
}

/** Adds the CRC-32 of a JSON object's text to the object, as its last key. */
export function withChecksum(json: string): ChecksummedText {
  const body = json.slice(0, -1)
  const crc = hex(crc32(body))
  return { text: `${body}${KEY}${crc}${END}`, crc }
}

/** Compares a line with the checksum at its end. `absent`: the line does not end in one. */
export function checksumState(line: Buffer): ChecksumState {
  const found = SUFFIX.exec(lastBytes(line))
  if (found === null) return 'absent'
  return found[1] === bodyChecksum(line) ? 'intact' : 'broken'
}

/** Returns the checksum at the end of a line. For a line without one, edited by hand, it is computed. */
export function checksumOf(line: Buffer): string {
  return SUFFIX.exec(lastBytes(line))?.[1] ?? hex(crc32(line.subarray(0, -1)))
}

function lastBytes(line: Buffer): string {
  return line.toString('latin1', Math.max(0, line.length - SUFFIX_BYTES))
}

function bodyChecksum(line: Buffer): string {
  return hex(crc32(line.subarray(0, line.length - SUFFIX_BYTES)))
}

function hex(crc: number): string {
  return crc.toString(16).padStart(8, '0')
}
