import { type CallIds, createCallIds } from '../call-ids.ts'
import { type CallProgress, createCallProgress } from '../call-progress.ts'
import type { JsonRecord } from '../json-values.ts'
import type { ModelEvent, ModelRequest } from '../port.ts'
import type { ExplainFault, WireFault } from '../wire.ts'

export interface ReadState {
  readonly explain: ExplainFault
  readonly callIds: CallIds
  readonly progress: CallProgress
  /** Text and reasoning parts whose whole was told; their item repeats it. */
  readonly told: Set<string>
  /** Output items that are complete, by place; undefined for one that must not go back. */
  readonly items: Map<number, JsonRecord | undefined>
  finished: boolean
}

export function createReadState(request: ModelRequest, explain: ExplainFault): ReadState {
  return {
    explain,
    callIds: createCallIds(request.entries),
    progress: createCallProgress(),
    told: new Set(),
    items: new Map(),
    finished: false,
  }
}

export function fail(state: ReadState, fault: WireFault, out: ModelEvent[]): void {
  state.finished = true
  out.push({ type: 'failed', failure: state.explain(fault) })
}

/**
 * Parts are told apart by place, not by item id: some gateways change the id with every event.
 * Text counts its contents, reasoning its summaries.
 */
export function partOf(event: JsonRecord, kind: 'text' | 'reasoning' | 'call'): string {
  const place = event['output_index'] ?? 0
  if (kind === 'call') return `call-${place}`
  const nth = kind === 'text' ? event['content_index'] : (event['summary_index'] ?? event['content_index'])
  return `${kind}-${place}-${nth ?? 0}`
}

export function tellWhole(
  state: ReadState,
  type: 'textDone' | 'reasoningDone',
  part: string,
  text: string,
): ModelEvent[] {
  if (state.told.has(part) || text === '') return []
  state.told.add(part)
  return [{ type, part, text }]
}
