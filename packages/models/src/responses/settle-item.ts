import { isRecord, type JsonRecord } from '../json-values.ts'
import type { ModelEvent } from '../port.ts'
import { fail, partOf, type ReadState, tellWhole } from './read-state.ts'
import { type OutputItem, outputItem } from './schemas.ts'

/** A complete output item: kept verbatim for the next request, and told as far as its parts were not told yet. */
export function settleItem(state: ReadState, place: number, raw: unknown, out: ModelEvent[]): void {
  if (state.items.has(place)) return
  const item = outputItem().safeParse(raw)
  if (!item.success || !isRecord(raw)) {
    fail(state, { type: 'malformed', what: 'an output item' }, out)
    return
  }
  const callId = item.data.type === 'function_call' ? claimCall(state, place, item.data, out) : undefined
  state.items.set(place, item.data.type === 'function_call' ? callItem(raw, callId) : raw)
  if (item.data.type === 'message') tellTexts(state, place, item.data, out)
  if (item.data.type === 'reasoning') tellSummaries(state, place, item.data, out)
}

/** A call that was cut short, or only repeats another, is left out altogether: sent back, it would want a result. */
function claimCall(state: ReadState, place: number, item: OutputItem, out: ModelEvent[]): string | undefined {
  if (item.status === 'incomplete') return undefined
  const call = { callId: item.call_id ?? item.id ?? '', name: item.name ?? '', arguments: item.arguments || '{}' }
  const callId = state.callIds.claim(call)
  if (callId !== undefined) out.push({ type: 'call', part: partOf({ output_index: place }, 'call'), ...call, callId })
  return callId
}

function callItem(raw: JsonRecord, callId: string | undefined): JsonRecord | undefined {
  if (callId === undefined) return undefined
  return callId === raw['call_id'] ? raw : { ...raw, call_id: callId }
}

function tellTexts(state: ReadState, place: number, item: OutputItem, out: ModelEvent[]): void {
  for (const [nth, content] of (item.content ?? []).entries()) {
    const part = partOf({ output_index: place, content_index: nth }, 'text')
    out.push(...tellWhole(state, 'textDone', part, content.text ?? content.refusal ?? ''))
  }
}

/** Open models send their raw reasoning as content where others send summaries. */
function tellSummaries(state: ReadState, place: number, item: OutputItem, out: ModelEvent[]): void {
  const texts = item.summary?.length ? item.summary : (item.content ?? [])
  for (const [nth, { text }] of texts.entries()) {
    const part = partOf({ output_index: place, summary_index: nth }, 'reasoning')
    out.push(...tellWhole(state, 'reasoningDone', part, text ?? ''))
  }
}
