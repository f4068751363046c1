import type { ModelEntry } from '@parley/models'
import { type ConversationEvent, type EventOf, type Item, isCall } from '@parley/protocol'
import { backgroundLost, lostText, noteBackground } from './background-left.ts'
import { clearedLine } from './compaction/cleared-line.ts'
import { emptyPast, foldPast } from './compaction/past-facts.ts'
import { tokensOfBlocks } from './compaction/weigh-blocks.ts'
import { countCalls, forgetCalls, noRepeatedCalls, noteResult } from './repeated-calls.ts'
import { type AnsweredCall, cutHere, type Fold, newestCompacted, resultEntry, userText } from './view-blocks.ts'

export function emptyFold(): Fold {
  return {
    blocks: [],
    calls: new Map(),
    outputFiles: new Map(),
    background: new Map(),
    past: emptyPast(),
    repeated: noRepeatedCalls(),
    marks: [],
    context: null,
    counted: null,
    draft: [],
    sent: 0,
  }
}

/** Folds one event into the blocks. */
export function foldEvent(fold: Fold, event: ConversationEvent, seq: number): void {
  foldPast(fold.past, event)
  switch (event.type) {
    case 'context.set':
      setContext(fold, event, seq)
      break
    case 'context.cleared':
      fold.marks = [...fold.marks, { kind: 'cleared', seq, itemIds: event.itemIds }]
      break
    case 'context.compacted':
      compact(fold, event, seq)
      break
    case 'context.restored':
      fold.marks = fold.marks.filter((mark) => mark.seq !== event.seq)
      break
    case 'usage.updated':
      if (event.purpose === undefined)
        fold.counted = {
          inputTokens: event.counts.inputTokens,
          estimate: tokensOfBlocks(fold),
          mark: newestCompacted(fold, {}),
        }
      break
    case 'model.requested':
      fold.draft = []
      fold.sent = fold.blocks.length
      break
    case 'model.responded':
      fold.draft = []
      addResponse(fold, event, seq)
      fold.sent = fold.blocks.length
      break
    case 'item.completed':
      addItem(fold, event.item, seq)
      noteOutput(fold, event.item)
      noteBackground(fold.background, event.item)
      break
    case 'turn.ended':
      keepDraft(fold, seq)
      break
    default:
      break
  }
}

/**
 * Adds a changed session context instead of replacing the old one, so that the prefix stays cached. It goes before the
 * unsent messages, which refer to it.
 */
function setContext(fold: Fold, event: EventOf<'context.set'>, seq: number): void {
  const { sessionContext: file } = event
  if (fold.context?.sessionContext !== file)
    fold.blocks.splice(fold.sent, 0, { kind: 'sessionContext', seq, file, entry: null })
  fold.context = event
}

/** Hides the blocks up to the first that is newer than `to`; the place of a session context is not that of its seq. */
function compact(fold: Fold, { to, summary, carried }: EventOf<'context.compacted'>, seq: number): void {
  const newer = fold.blocks.findIndex((block) => block.kind !== 'sessionContext' && block.seq > to)
  const hidden = newer < 0 ? fold.blocks.length : newer
  fold.sent = Math.max(fold.sent, hidden)
  fold.marks = [...fold.marks, { kind: 'compacted', seq, summary, carried, hidden, entries: null }]
}

function addResponse({ blocks, calls, repeated }: Fold, event: EventOf<'model.responded'>, seq: number): void {
  countCalls(repeated, event.calls)
  const answered = event.calls.map(({ itemId, callId, name, arguments: text }): AnsweredCall => {
    const call = { itemId, call: { callId, name, arguments: text }, result: null, line: null, images: [], shown: null }
    calls.set(itemId, call)
    return call
  })
  const { adapter, parts, text } = event
  const entry: ModelEntry = { kind: 'response', adapter, parts, text, calls: answered.map(({ call }) => call) }
  blocks.push({ kind: 'response', seq, entry, calls: answered })
}

function addItem({ blocks, calls, draft, repeated, background }: Fold, item: Item, seq: number): void {
  if (item.type === 'userMessage') forgetCalls(repeated)
  if (isCall(item)) noteResult(repeated, item)
  const answered = isCall(item) ? calls.get(item.id) : undefined
  if (isCall(item) && answered !== undefined) {
    answered.result = resultEntry(answered.call, modelTextOf(item) ?? cutHere, item.status !== 'completed')
    answered.images = 'images' in item ? (item.images ?? []) : []
    answered.shown = null
    answered.line = resultEntry(answered.call, clearedLine(item), item.status !== 'completed')
  } else if (item.type === 'userMessage') blocks.push({ kind: 'message', seq, content: item.content, entry: null })
  else if (item.type === 'shellCommand')
    blocks.push({ kind: 'entry', seq, entry: userText(item.modelText ?? `I ran \`${item.command}\` myself.`) })
  else if (item.type === 'fileChange' && item.rewind !== undefined && item.modelText !== undefined)
    blocks.push({ kind: 'entry', seq, entry: userText(item.modelText) })
  else if (item.type === 'agentMessage') draft.push(item.text)
  else if (item.type === 'notice' && item.code === backgroundLost && background.size > 0) {
    blocks.push({ kind: 'entry', seq, entry: userText(lostText(background)) })
    background.clear()
  }
}

function noteOutput({ outputFiles }: Fold, item: Item): void {
  if ('output' in item && item.output?.file !== undefined) outputFiles.set(item.id, item.output.file)
}

/** Keeps the text of a response that was cut off for good: the model should know that the user saw it. */
function keepDraft(fold: Fold, seq: number): void {
  const text = fold.draft.join('\n\n')
  fold.draft = []
  if (text === '') return
  fold.blocks.push({ kind: 'entry', seq, entry: { kind: 'response', adapter: 'none', parts: [], text, calls: [] } })
  fold.sent = fold.blocks.length
}

function modelTextOf(item: Item): string | undefined {
  return 'modelText' in item ? item.modelText : undefined
}
