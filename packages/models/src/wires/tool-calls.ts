import { parseRecord } from '@parley/text'
import { foldGrowingLists } from '../port/growing-list.ts'
import type { ModelCall, ModelEntry, ModelEvent } from '../port/model-client.ts'
import type { JsonRecord } from './json.ts'

export interface CallIds {
  /** Returns the id of a call in the conversation; undefined for a repetition of a call of this response. */
  claim(call: ModelCall): string | undefined
}

/**
 * Creates ids that are unique within the conversation and equal for equal requests. Local servers leave ids out, repeat
 * them, or start again at `call_0` with every response.
 */
export function createCallIds(entries: readonly ModelEntry[]): CallIds {
  const { taken, responses } = idsIn(entries)
  const given = new Set<string>()
  const claimed = new Map<string, ModelCall>()
  let made = 0
  const isTaken = (id: string) => taken.has(id) || given.has(id)
  const make = (): string => {
    made += 1
    const id = madeId(responses, made)
    return isTaken(id) ? make() : id
  }
  return {
    claim(call) {
      // As the log will have it, where two halves of characters are one replacement.
      const callId = call.callId.toWellFormed()
      const earlier = callId === '' ? undefined : claimed.get(callId)
      if (earlier?.name === call.name && earlier.arguments === call.arguments) return undefined
      claimed.set(callId, call)
      const id = callId === '' || isTaken(callId) ? make() : callId
      given.add(id)
      return id
    },
  }
}

const idsIn = foldGrowingLists<ModelEntry, { readonly taken: Set<string>; responses: number }>(
  () => ({ taken: new Set(), responses: 0 }),
  (ids, entry) => {
    if (entry.kind !== 'response') return
    ids.responses += 1
    for (const { callId } of entry.calls) ids.taken.add(callId)
  },
)

/** Returns nine letters and digits, the only form that all known servers accept; Mistral requires it. */
function madeId(responses: number, nth: number): string {
  return `p${(responses * 1_000 + nth).toString(36).padStart(8, '0')}`
}

/** Growth of the arguments after which their size is reported again. */
const reportEveryBytes = 1_024

export interface CallProgress {
  begin(part: string, name: string | undefined, out: ModelEvent[]): void
  grow(part: string, fragment: string, out: ModelEvent[]): void
}

/** Creates a reporter of the size of arguments while a call is written: at its start, then at each kilobyte. */
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
      if (size.bytes - size.reported < reportEveryBytes) return
      size.reported = size.bytes
      out.push({ type: 'callDelta', part, argumentBytes: size.bytes })
    },
  }
}

/** Returns the arguments of a call as an object. Other text goes back whole, so that the model sees its mistake. */
export function readableArguments(written: string): JsonRecord {
  return parseRecord(written) ?? { unreadable: written }
}
