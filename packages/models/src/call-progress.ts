import type { ModelEvent } from './port.ts'

/** A call being written is reported at its start and then once for this much more. */
const REPORT_EVERY_BYTES = 1_024

export interface CallProgress {
  begin(part: string, name: string | undefined, out: ModelEvent[]): void
  grow(part: string, fragment: string, out: ModelEvent[]): void
}

/** Tells how large the arguments of a call have become, seldom enough to cost nothing. */
export function createCallProgress(): CallProgress {
  const sizes = new Map<string, { bytes: number; reported: number }>()
  return {
    begin(part, name, out) {
      sizes.set(part, { bytes: 0, reported: 0 })
      out.push({ type: 'callDelta', part, ...(name === undefined ? {} : { name }), argumentBytes: 0 })
    },
    grow(part, fragment, out) {
      const size = sizes.get(part)
      if (size === undefined) return
      size.bytes += Buffer.byteLength(fragment)
      if (size.bytes - size.reported < REPORT_EVERY_BYTES) return
      size.reported = size.bytes
      out.push({ type: 'callDelta', part, argumentBytes: size.bytes })
    },
  }
}
