import type { ModelEntry } from '@parley/models'
import {
  type CallItem,
  type ConversationEvent,
  type EventOf,
  type Item,
  type ItemId,
  type ItemOf,
  isCall,
} from '@parley/protocol'
import { noteBackground, takeEnded } from './background-left.ts'
import { tokensOfContent, tokensOfEntry } from './estimate.ts'
import { emptyPast, foldPast } from './past-facts.ts'
import { countCalls, forgetCalls, noRepeatedCalls, noteResult } from './repeated-calls.ts'
import {
  type AnsweredCall,
  type Fold,
  type FoldedCalls,
  isUserChange,
  type LogOffset,
  type Mark,
  newestCompacted,
  type ReadEvent,
  type ResponseBlock,
  userText,
} from './view-blocks.ts'
import { answerIn, callOf, forgetContent, modelCall, responseEntry, userActEntry } from './view-content.ts'
import { tokensOfBlocks } from './weigh-blocks.ts'

/** Creates the fold of a log from its beginning. Without `readEvent` it holds the content of every block for good. */
export function emptyFold(readEvent: ReadEvent | null): Fold {
  return {
    readEvent,
    blocks: [],
    calls: { byItem: new Map(), outputs: new Map(), background: new Map(), repeated: noRepeatedCalls() },
    past: emptyPast(),
    marks: [],
    context: null,
    counted: null,
    queued: new Map(),
    draft: [],
    sent: 0,
    settled: { entries: null, tokens: null },
  }
}

/** Number and place of an event's line. */
export interface Spot {
  readonly seq: number
  readonly place: LogOffset
}

/** Folds one event into the blocks. */
export function foldEvent(fold: Fold, event: ConversationEvent, spot: Spot): void {
  const { seq } = spot
  foldPast(fold.past, event)
  switch (event.type) {
    case 'context.set':
      setContext(fold, event, seq)
      break
    case 'context.cleared':
      fold.marks = [...fold.marks, clearedMark(event, seq)]
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
      addResponse(fold, event, spot)
      // Calls of a message come before its first request. The session context of that request goes before the message.
      if (event.adapter !== 'none') fold.sent = fold.blocks.length
      break
    case 'item.completed':
      addItem(fold, event.item, spot)
      noteOutput(fold.calls, event.item, spot)
      noteBackground(fold.calls.background, event.item)
      break
    case 'message.queued':
      fold.queued.set(event.message.messageId, [])
      break
    case 'message.removed':
      fold.queued.delete(event.messageId)
      break
    case 'hook.ran':
      addHookContext(fold, event, seq)
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
    fold.blocks.splice(fold.sent, 0, { kind: 'sessionContext', seq, tokens: contextTokens, file, entry: null })
  fold.context = event
}

/** Returns the mark of results that are cleared, or of parts that are left out whole. */
function clearedMark({ itemIds, why, seqs }: EventOf<'context.cleared'>, seq: number): Mark {
  return why === undefined ? { kind: 'cleared', seq, itemIds } : { kind: 'cleared', seq, itemIds: [], seqs: seqs ?? [] }
}

/** Hides the blocks up to the first one newer than `to`; a session context has another place than its seq. */
function compact(fold: Fold, { to, summary, carried }: EventOf<'context.compacted'>, seq: number): void {
  const newer = fold.blocks.findIndex((block) => block.kind !== 'sessionContext' && block.seq > to)
  const hidden = newer < 0 ? fold.blocks.length : newer
  fold.sent = Math.max(fold.sent, hidden)
  if (fold.readEvent !== null) fold.blocks.slice(newestCompacted(fold, {})?.hidden ?? 0, hidden).forEach(forgetContent)
  fold.marks = [...fold.marks, { kind: 'compacted', seq, summary, carried, hidden, entries: null }]
}

function addResponse({ blocks, calls }: Fold, event: EventOf<'model.responded'>, { seq, place }: Spot): void {
  countCalls(calls.repeated, event)
  const answered = event.calls.map(
    (made): AnsweredCall => ({ itemId: made.itemId, call: modelCall(made), answer: null, read: null }),
  )
  const entry = responseEntry(event)
  addBlock({ blocks, calls }, { kind: 'response', seq, place, tokens: tokensOfEntry(entry), entry, calls: answered })
}

/** Adds a response, and its calls to the calls that await results. */
export function addBlock({ blocks, calls }: Pick<Fold, 'blocks' | 'calls'>, block: ResponseBlock): void {
  blocks.push(block)
  for (const answered of block.calls) calls.byItem.set(answered.itemId, { block, answered })
}

function addItem(fold: Fold, item: Item, { seq, place }: Spot): void {
  const { blocks, calls, draft } = fold
  if (isCall(item)) noteResult(calls.repeated, item)
  if (isCall(item) && calls.byItem.has(item.id)) addAnswer(fold, item.id, { item, place })
  else if (item.type === 'userMessage') {
    forgetCalls(calls.repeated)
    const { content } = item
    blocks.push({ kind: 'message', seq, place, tokens: tokensOfContent(content), content, entry: null })
    addWaiting(fold, item, seq)
  } else if (isUserAct(item)) {
    const entry = userActEntry(item)
    blocks.push({ kind: 'userAct', seq, place, tokens: tokensOfEntry(entry), entry })
  } else if (item.type === 'agentMessage') draft.push(item.text)
  else if (item.type === 'notice') {
    const text = takeEnded(calls.background, item)
    if (text === null) return
    addEntry(fold, userText(text), seq)
  }
}

/** Adds a hook's text for the model: after the message it ran for, else after the results of the calls so far. */
function addHookContext(fold: Fold, event: EventOf<'hook.ran'>, seq: number): void {
  const { hook, context, messageId, outcome } = event
  if (context === undefined) return
  const whose = hook.source === 'project' ? 'of this project' : "of the user's"
  const named = `hook ${whose} (${hook.name}, ${hook.on})`
  // One that was cut off has said nothing.
  const entry = userText(`${outcome === 'interrupted' ? `About a ${named}:` : `A ${named} says:`}\n${context}`)
  const waiting = messageId === undefined ? undefined : fold.queued.get(messageId)
  if (waiting === undefined) addEntry(fold, entry, seq)
  else waiting.push(entry)
}

/** Adds what hooks said of a message while it waited. */
function addWaiting(fold: Fold, { messageId }: ItemOf<'userMessage'>, seq: number): void {
  if (messageId === undefined) return
  for (const entry of fold.queued.get(messageId) ?? []) addEntry(fold, entry, seq)
  fold.queued.delete(messageId)
}

function addEntry({ blocks }: Fold, entry: ModelEntry, seq: number): void {
  blocks.push({ kind: 'entry', seq, tokens: tokensOfEntry(entry), entry })
}

/** Tells if the user did something that the model reads of: ran a command, changed files, or went back in the talk. */
function isUserAct(item: Item): boolean {
  return (
    item.type === 'shellCommand' ||
    (item.type === 'contextCompaction' && item.leftOut !== undefined) ||
    (isUserChange(item) && 'modelText' in item)
  )
}

function addAnswer(fold: Fold, itemId: ItemId, { item, place }: { item: CallItem; place: LogOffset }): void {
  const found = fold.calls.byItem.get(itemId)
  if (found === undefined) return
  const read = answerIn(item, callOf(fold, found).callId)
  const { answered } = found
  if (answered.answer !== null) {
    fold.settled.entries = null
    fold.settled.tokens = null
  }
  answered.read = read
  const [tokens, lineTokens] = [tokensOfEntry(read.result), tokensOfEntry(read.line)]
  answered.answer = { place, tokens, lineTokens, images: read.images.length }
}

function noteOutput({ outputs }: FoldedCalls, item: Item, { place }: Spot): void {
  const file = 'output' in item ? item.output?.file : undefined
  if (file !== undefined) outputs.set(item.id, { place, file })
}

/** Tokens of a session context, about. */
const contextTokens = 200

/** Keeps the text of a response that was cut off for good: the model should know that the user saw it. */
function keepDraft(fold: Fold, seq: number): void {
  const text = fold.draft.join('\n\n')
  fold.draft = []
  if (text === '') return
  const entry: ModelEntry = { kind: 'response', adapter: 'none', parts: [], text, calls: [] }
  addEntry(fold, entry, seq)
  fold.sent = fold.blocks.length
}
