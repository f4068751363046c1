import { crc32 } from 'node:zlib'

/** `,"crc":"` + 8 hex digits + `"}`: the last bytes of every line parley writes. */
const SEAL_KEY = ',"crc":"'
const SEAL_END = '"}'
const SEAL_BYTES = SEAL_KEY.length + 8 + SEAL_END.length
const SEAL = /^,"crc":"([0-9a-f]{8})"\}$/

export type SealState = 'intact' | 'broken' | 'absent'

/** Puts the checksum of everything before it in as the last key of a JSON object. */
export function seal(json: string): string {
  const body = json.slice(0, -1)
  return `${body}${SEAL_KEY}${hex(crc32(body))}${SEAL_END}`
}

export function checkSeal(line: Buffer): SealState {
  const found = SEAL.exec(sealText(line))
  if (found === null) return 'absent'
  return found[1] === bodyCrc(line) ? 'intact' : 'broken'
}

/** The checksum a cursor names a line by. A line edited by hand has none of its own, so it is computed. */
export function crcOf(line: Buffer): string {
  return SEAL.exec(sealText(line))?.[1] ?? hex(crc32(line.subarray(0, -1)))
}

function sealText(line: Buffer): string {
  return line.toString('latin1', Math.max(0, line.length - SEAL_BYTES))
}

function bodyCrc(line: Buffer): string {
  return hex(crc32(line.subarray(0, line.length - SEAL_BYTES)))
}

function hex(crc: number): string {
  return crc.toString(16).padStart(8, '0')
}
