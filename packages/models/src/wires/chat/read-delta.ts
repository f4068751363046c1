import type { ExplainFault, WireFault } from '../../failures/explain.ts'
import type { ModelEvent, TokenUsage } from '../../port/model-client.ts'
import { isRecord, type JsonRecord } from '../json.ts'
import type { CallIds, CallProgress } from '../tool-calls.ts'
import { applyFragment, type CallDraft } from './call-drafts.ts'

/** State of one response while it is read. */
export interface ReadState {
  readonly explain: ExplainFault
  readonly callIds: CallIds
  readonly progress: CallProgress
  readonly segments: Segments
  readonly drafts: CallDraft[]
  text: string
  reasoningContent: string
  usage: TokenUsage
  finishReason: string | undefined
  finished: boolean
}

/** Reads one delta: its reasoning, text and fragments of calls. */
export function readDelta(state: ReadState, delta: JsonRecord, out: ModelEvent[]): void {
  const { content, reasoning_content: reasoningContent, reasoning, tool_calls: calls, refusal } = delta
  if (typeof reasoningContent === 'string') {
    state.reasoningContent += reasoningContent
    state.segments.push('reasoning', reasoningContent, out)
  } else if (typeof reasoning === 'string') {
    state.segments.push('reasoning', reasoning, out)
  }
  if (typeof content === 'string') pushText(state, content, out)
  else if (Array.isArray(content)) for (const piece of content) readPiece(state, piece, out)
  if (typeof refusal === 'string') pushText(state, refusal, out)
  if (Array.isArray(calls)) for (const fragment of calls) readFragment(state, fragment, out)
}

function pushText(state: ReadState, text: string, out: ModelEvent[]): void {
  state.text += text
  state.segments.push('text', text, out)
}

/** Reads a piece of content; Mistral sends content in pieces, reasoning among them. */
function readPiece(state: ReadState, piece: unknown, out: ModelEvent[]): void {
  if (!isRecord(piece)) return
  const { text, thinking } = piece
  if (typeof text === 'string') pushText(state, text, out)
  if (!Array.isArray(thinking)) return
  for (const thought of thinking) {
    if (isRecord(thought) && typeof thought['text'] === 'string') state.segments.push('reasoning', thought['text'], out)
  }
}

function readFragment(state: ReadState, raw: unknown, out: ModelEvent[]): void {
  if (state.finished) return
  const change = applyFragment(state.drafts, raw)
  if (change === undefined) {
    fail(state, { type: 'malformed', what: 'a tool call' }, out)
    return
  }
  const part = partOf(change.draft)
  if (change.isNew) {
    state.segments.close(out)
    state.progress.begin(part, change.draft.name || undefined, out)
  }
  state.progress.grow(part, change.fragment, out)
}

export function partOf(draft: CallDraft): string {
  return `call-${draft.nth}`
}

export function fail(state: ReadState, fault: WireFault, out: ModelEvent[]): void {
  state.finished = true
  out.push({ type: 'failed', failure: state.explain(fault) })
}

type Kind = 'text' | 'reasoning'

/** Parts of text and reasoning, in turn. */
interface Segments {
  push(kind: Kind, text: string, out: ModelEvent[]): void
  /** Ends the open segment. */
  close(out: ModelEvent[]): void
}

/** Creates the segments of a response. The API does not mark where reasoning ends, so a change of kind begins a new part. */
export function createSegments(): Segments {
  let kind: Kind | undefined
  let part = ''
  let text = ''
  let count = 0
  const close = (out: ModelEvent[]): void => {
    if (kind !== undefined) out.push({ type: kind === 'text' ? 'textDone' : 'reasoningDone', part, text })
    kind = undefined
  }
  return {
    close,
    push(nextKind, delta, out) {
      if (delta === '') return
      if (kind !== nextKind) {
        close(out)
        kind = nextKind
        part = `${nextKind}-${count}`
        text = ''
        count += 1
      }
      text += delta
      out.push({ type: nextKind === 'text' ? 'textDelta' : 'reasoningDelta', part, text: delta })
    },
  }
}
