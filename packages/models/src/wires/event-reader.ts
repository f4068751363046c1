import { parseRecord } from '@parley/text'
import type { ModelEvent } from '../port/model-client.ts'
import type { ExplainFault, WireFault, WireReader } from '../port/wire.ts'
import type { JsonRecord } from './json.ts'

/** Response that is still read: the explanation of its faults, and whether the terminal event was sent. */
export interface OpenResponse {
  readonly explain: ExplainFault
  finished: boolean
}

/**
 * Creates a reader of events that are JSON objects, up to the terminal event. `complete` returns the completion of a
 * response after the end of its stream; undefined while a necessary event is missing.
 */
export function createEventReader(
  state: OpenResponse,
  read: (event: JsonRecord, out: ModelEvent[]) => void,
  complete: () => ((out: ModelEvent[]) => void) | undefined,
): WireReader {
  return {
    read(data, out) {
      if (state.finished) return
      const event = parseRecord(data)
      if (event === undefined) fail(state, notJson, out)
      else read(event, out)
    },
    end(out) {
      if (state.finished) return
      const completes = complete()
      if (completes === undefined) fail(state, { type: 'cut' }, out)
      else completes(out)
    },
  }
}

export const notJson: WireFault = { type: 'malformed', what: 'an event that is not JSON' }

/** Ends the response with the failure that a fault means. */
export function fail(state: OpenResponse, fault: WireFault, out: ModelEvent[]): void {
  state.finished = true
  out.push({ type: 'failed', failure: state.explain(fault) })
}
