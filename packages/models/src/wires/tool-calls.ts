import type { ModelCall, ModelEntry, ModelEvent } from '../port/model-client.ts'

export interface CallIds {
  /** The id a call goes by; undefined when it only repeats a call of this response. */
  claim(call: ModelCall): string | undefined
}

/**
 * Local servers leave ids out, repeat them within a response, or start again at `call_0` with every response.
 * What the engine and the next request see is unique within the conversation. Deterministic for equal requests.
 */
export function createCallIds(entries: readonly ModelEntry[]): CallIds {
  const taken = new Set<string>()
  const claimed = new Map<string, ModelCall>()
  let responses = 0
  for (const entry of entries) {
    if (entry.kind !== 'response') continue
    responses += 1
    for (const call of entry.calls) taken.add(call.callId)
  }
  let made = 0
  const make = (): string => {
    made += 1
    const id = madeId(responses, made)
    return taken.has(id) ? make() : id
  }
  return {
    claim(call) {
      const earlier = call.callId === '' ? undefined : claimed.get(call.callId)
      if (earlier?.name === call.name && earlier.arguments === call.arguments) return undefined
      claimed.set(call.callId, call)
      const id = call.callId === '' || taken.has(call.callId) ? make() : call.callId
      taken.add(id)
      return id
    },
  }
}

/** Nine letters and digits: the only form that every known server takes (Mistral insists on it). */
function madeId(responses: number, nth: number): string {
  return `p${(responses * 1_000 + nth).toString(36).padStart(8, '0')}`
}

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
