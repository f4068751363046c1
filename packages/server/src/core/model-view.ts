import type { ModelCall, ModelEntry, UserPart } from '@parley/models'
import type { ContentItem, ConversationEvent, EventOf, Item, ItemId } from '@parley/protocol'
import { isCall } from '@parley/protocol'

/**
 * Fold over the log that yields what the model sees. Blocks are appended in log order and a block's entries keep their
 * identity, so that the serialised prefix of a request can be cached by entry.
 */
export interface ModelView {
  /** Folds one event; the events must come in log order. */
  apply(event: ConversationEvent): void
  /**
   * Returns the messages of the next request. Valid for a log cut at any line: each call has exactly one result, in
   * call order. A missing side file becomes a fixed placeholder.
   */
  entries(files: SideFileReader): readonly ModelEntry[]
  /** Returns the model's call of an item; null for an item that is no call of a complete response. */
  callOf(itemId: ItemId): ModelCall | null
  /** Returns the side file with all output of a command item; null when the output was small enough for the item. */
  outputFileOf(itemId: ItemId): string | null
  readonly context: EventOf<'context.set'> | null
}

/** Reads side files; returns null for a missing or damaged one. */
export interface SideFileReader {
  readText(file: string): string | null
  readBase64(file: string): string | null
}

type Block =
  | { readonly kind: 'entry'; readonly entry: ModelEntry }
  | { readonly kind: 'sessionContext'; readonly file: string; entry: ModelEntry | null }
  | { readonly kind: 'message'; readonly content: readonly ContentItem[]; entry: ModelEntry | null }
  | { readonly kind: 'response'; readonly entry: ModelEntry; readonly calls: readonly AnsweredCall[] }

interface AnsweredCall {
  readonly call: ModelCall
  readonly itemId: ItemId
  result: ModelEntry | null
}

/** State of the fold, changed in place, since a conversation may have thousands of blocks. */
interface Fold {
  readonly blocks: Block[]
  readonly calls: Map<ItemId, AnsweredCall>
  readonly outputFiles: Map<ItemId, string>
  context: EventOf<'context.set'> | null
  /** Message texts of an incomplete response. */
  draft: string[]
  /** Number of blocks that were sent or answered a request; later blocks have not been sent. */
  sent: number
}

const cutHere = 'Not run: the conversation was cut here.'
/** Text in place of a side file that is missing. */
export const missingFile = '(A file of this conversation is missing here.)'

export function createModelView(): ModelView {
  const fold: Fold = { blocks: [], calls: new Map(), outputFiles: new Map(), context: null, draft: [], sent: 0 }
  return {
    apply: (event) => foldEvent(fold, event),
    entries: (files) => fold.blocks.flatMap((block) => entriesOf(block, files)),
    callOf: (itemId) => fold.calls.get(itemId)?.call ?? null,
    outputFileOf: (itemId) => fold.outputFiles.get(itemId) ?? null,
    get context() {
      return fold.context
    },
  }
}

function foldEvent(fold: Fold, event: ConversationEvent): void {
  switch (event.type) {
    case 'context.set':
      setContext(fold, event)
      break
    case 'model.requested':
      fold.draft = []
      fold.sent = fold.blocks.length
      break
    case 'model.responded':
      fold.draft = []
      addResponse(fold, event)
      fold.sent = fold.blocks.length
      break
    case 'item.completed':
      addItem(fold, event.item)
      noteOutput(fold, event.item)
      break
    case 'turn.ended':
      keepDraft(fold)
      break
    default:
      break
  }
}

/**
 * Adds a changed session context instead of replacing the old one, so that the prefix stays cached. It goes before the
 * unsent messages, which refer to it.
 */
function setContext(fold: Fold, event: EventOf<'context.set'>): void {
  const { sessionContext: file } = event
  if (fold.context?.sessionContext !== file)
    fold.blocks.splice(fold.sent, 0, { kind: 'sessionContext', file, entry: null })
  fold.context = event
}

function addResponse({ blocks, calls }: Fold, event: EventOf<'model.responded'>): void {
  const answered = event.calls.map(({ itemId, callId, name, arguments: text }): AnsweredCall => {
    const call = { itemId, call: { callId, name, arguments: text }, result: null }
    calls.set(itemId, call)
    return call
  })
  const { adapter, parts, text } = event
  const entry: ModelEntry = { kind: 'response', adapter, parts, text, calls: answered.map(({ call }) => call) }
  blocks.push({ kind: 'response', entry, calls: answered })
}

function addItem({ blocks, calls, draft }: Fold, item: Item): void {
  const answered = isCall(item) ? calls.get(item.id) : undefined
  if (answered !== undefined)
    answered.result = resultEntry(answered.call, modelTextOf(item) ?? cutHere, item.status !== 'completed')
  else if (item.type === 'userMessage') blocks.push({ kind: 'message', content: item.content, entry: null })
  else if (item.type === 'shellCommand')
    blocks.push({ kind: 'entry', entry: userText(item.modelText ?? `I ran \`${item.command}\` myself.`) })
  else if (item.type === 'agentMessage') draft.push(item.text)
}

function noteOutput({ outputFiles }: Fold, item: Item): void {
  if ('output' in item && item.output?.file !== undefined) outputFiles.set(item.id, item.output.file)
}

/** Keeps the text of a response that was cut off for good: the model should know that the user saw it. */
function keepDraft(fold: Fold): void {
  const text = fold.draft.join('\n\n')
  fold.draft = []
  if (text === '') return
  fold.blocks.push({ kind: 'entry', entry: { kind: 'response', adapter: 'none', parts: [], text, calls: [] } })
  fold.sent = fold.blocks.length
}

function entriesOf(block: Block, files: SideFileReader): readonly ModelEntry[] {
  switch (block.kind) {
    case 'entry':
      return [block.entry]
    case 'sessionContext':
      block.entry ??= userText(files.readText(block.file) ?? missingFile)
      return [block.entry]
    case 'message':
      block.entry ??= { kind: 'user', content: block.content.map((part) => userPart(part, files)) }
      return [block.entry]
    case 'response':
      return [block.entry, ...block.calls.map(({ call, result }) => result ?? resultEntry(call, cutHere, true))]
  }
}

function modelTextOf(item: Item): string | undefined {
  return 'modelText' in item ? item.modelText : undefined
}

function userPart(part: ContentItem, files: SideFileReader): UserPart {
  if (part.type === 'text') return { type: 'text', text: textOf(part, files) }
  const base64 = files.readBase64(part.file)
  return base64 === null ? { type: 'text', text: missingFile } : { type: 'image', mediaType: part.mediaType, base64 }
}

/** Returns the whole text of a part; a long one is read from its side file. */
function textOf({ text, file }: Extract<ContentItem, { type: 'text' }>, files: SideFileReader): string {
  return file === undefined ? text : (files.readText(file) ?? missingFile)
}

function userText(text: string): ModelEntry {
  return { kind: 'user', content: [{ type: 'text', text }] }
}

function resultEntry({ callId }: ModelCall, text: string, isError: boolean): ModelEntry {
  return { kind: 'result', callId, text, isError }
}
