import type { OutputSnapshot } from './command.ts'

export interface OutputSlice {
  readonly bytes: Buffer
  /** Where in the whole output `bytes` begins; later than asked for when that part is no longer in memory. */
  readonly fromByte: number
  readonly totalBytes: number
}

/** Up to `maxBytes` of what is in memory from `fromByte` on; without `fromByte`, the last ones. */
export function sliceOutput(output: OutputSnapshot, maxBytes: number, fromByte?: number): OutputSlice {
  const { totalBytes, head, tail, omittedBytes } = output
  const wanted = Math.min(Math.max(fromByte ?? totalBytes - maxBytes, 0), totalBytes)
  const kept = omittedBytes === 0 ? { bytes: Buffer.concat([head, tail]), at: 0 } : pickPart(output, wanted)
  const start = Math.max(wanted, kept.at)
  const bytes = kept.bytes.subarray(start - kept.at, start - kept.at + maxBytes)
  return { bytes, fromByte: start, totalBytes }
}

function pickPart({ totalBytes, head, tail }: OutputSnapshot, wanted: number): { bytes: Buffer; at: number } {
  return wanted < head.length ? { bytes: head, at: 0 } : { bytes: tail, at: totalBytes - tail.length }
}
