import type { ModelCall, ModelEntry, ResultEntry, UserPart } from '@parley/models'
import {
  type CallItem,
  type CallOutput,
  type ContentItem,
  type ConversationEvent,
  type EventOf,
  type Item,
  isCall,
} from '@parley/protocol'
import { exitWords, utf8Length } from '@parley/text'
import {
  type AnsweredCall,
  cutHere,
  type Fold,
  type FoldBlock,
  type LeftOut,
  type LogOffset,
  type ResponseBlock,
  resultEntry,
  type StoredImage,
  userText,
} from './view-blocks.ts'

/** Reads side files; returns null for a missing or damaged one. */
export interface SideFileReader {
  readText(file: string): string | null
  readBase64(file: string): string | null
}

/** Text in place of a side file that is missing. */
export const missingFile = '(A file of this conversation is missing here.)'

/** Reads contents that the fold knows by their place only. */
type EventReader = Pick<Fold, 'readEvent'>

interface Showing {
  readonly files: SideFileReader
  /** Items of the calls with cleared results. */
  readonly cleared: ReadonlySet<string>
  readonly leftOut: LeftOut
}

/** Returns the entries of a block as a request holds them; they stay the same objects. */
export function entriesOf(
  fold: EventReader,
  block: FoldBlock,
  { files, cleared, leftOut }: Showing,
): readonly ModelEntry[] {
  const line = block.kind === 'sessionContext' ? undefined : leftOut.get(block.seq)
  if (line !== undefined) return line === null ? [] : [line]
  switch (block.kind) {
    case 'entry':
      return [block.entry]
    case 'sessionContext':
      block.entry ??= userText(files.readText(block.file) ?? missingFile)
      return [block.entry]
    case 'userAct':
      block.entry ??= userActEntry(itemAt(fold, block.place))
      return [block.entry]
    case 'message':
      block.entry ??= { kind: 'user', content: contentOf(fold, block).map((part) => userPart(part, files)) }
      return [block.entry]
    case 'response': {
      const entry = responseOf(fold, block)
      return [entry, ...block.calls.map((answered) => resultOf(fold, { block, answered }, { files, cleared, leftOut }))]
    }
  }
}

/** Tells if a block can be shown without reading the log. */
export function isRead(block: FoldBlock): boolean {
  switch (block.kind) {
    case 'entry':
    case 'sessionContext':
      return true
    case 'userAct':
      return block.entry !== null
    case 'message':
      return block.content !== null
    case 'response':
      return block.entry !== null && block.calls.every(({ answer, read }) => answer === null || read !== null)
  }
}

/** Reads a block from the log, unless that was done before. */
export function readBlock(fold: EventReader, block: FoldBlock): void {
  if (block.kind === 'userAct') block.entry ??= userActEntry(itemAt(fold, block.place))
  else if (block.kind === 'message') contentOf(fold, block)
  else if (block.kind === 'response') {
    responseOf(fold, block)
    for (const answered of block.calls) readAnswerOf(fold, { block, answered })
  }
}

/** Forgets the content of a block, which is read from the log again when it is needed. */
export function forgetContent(block: FoldBlock): void {
  if (block.kind !== 'entry') block.entry = null
  if (block.kind === 'message') block.content = null
  if (block.kind !== 'response') return
  for (const answered of block.calls) {
    answered.call = null
    answered.read = null
  }
}

export function contentOf(fold: EventReader, block: Extract<FoldBlock, { kind: 'message' }>): readonly ContentItem[] {
  if (block.content !== null) return block.content
  const item = itemAt(fold, block.place)
  if (item.type !== 'userMessage') throw wrongLine(block.place)
  block.content = item.content
  return item.content
}

const leftOutHere =
  'I went back to this point: what came after it here is left out. A summary of it by a model follows, which may be wrong. Files may be as that part left them or as they were before; look before you rely on it.'

export function userActEntry(item: Item): ModelEntry {
  if (item.type === 'contextCompaction') return userText(`${leftOutHere}\n\n${item.text}`)
  const modelText = 'modelText' in item ? item.modelText : undefined
  return userText(modelText ?? (item.type === 'shellCommand' ? `I ran \`${item.command}\` myself.` : item.text))
}

/** Reads a response and its calls, unless that was done before. */
function responseOf(fold: EventReader, block: ResponseBlock): ModelEntry {
  if (block.entry !== null) return block.entry
  const event = eventAt(fold, block.place)
  if (event.type !== 'model.responded') throw wrongLine(block.place)
  for (const [index, answered] of block.calls.entries()) {
    const made = event.calls[index]
    if (made === undefined || made.itemId !== answered.itemId) throw wrongLine(block.place)
    answered.call = modelCall(made)
  }
  const entry = responseEntry(event)
  block.entry = entry
  return entry
}

type MadeCall = EventOf<'model.responded'>['calls'][number]

export function modelCall({ callId, name, arguments: text }: MadeCall): ModelCall {
  return { callId, name, arguments: text }
}

export function responseEntry({ adapter, parts, text, calls }: EventOf<'model.responded'>): ModelEntry {
  return { kind: 'response', adapter, parts, text, calls: calls.map(modelCall) }
}

/** Call of a response with the block that it is in. */
export interface CallInBlock {
  readonly block: ResponseBlock
  readonly answered: AnsweredCall
}

export function callOf(fold: EventReader, { block, answered }: CallInBlock): ModelCall {
  responseOf(fold, block)
  if (answered.call === null) throw wrongLine(block.place)
  return answered.call
}

/** Reads the result of a call; null for a call without one. */
export function readAnswerOf(fold: EventReader, found: CallInBlock): AnsweredCall['read'] {
  const { answered } = found
  const { callId } = callOf(fold, found)
  if (answered.answer === null) return null
  if (answered.read !== null) return answered.read
  const item = itemAt(fold, answered.answer.place)
  if (!isCall(item) || item.id !== answered.itemId) throw wrongLine(answered.answer.place)
  const read = answerIn(item, callId)
  answered.read = read
  return read
}

/** Returns the result that a call ended with, and the line that stands for it where it is cleared. */
export function answerIn(item: CallItem, callId: string): NonNullable<AnsweredCall['read']> {
  const isError = item.status !== 'completed'
  return {
    result: resultEntry(callId, item.modelText ?? cutHere, isError),
    line: resultEntry(callId, clearedLine(item), isError),
    images: 'images' in item ? (item.images ?? []) : [],
    shown: null,
  }
}

/** Returns the result of a call as a request holds it, with its images unless it is cleared. */
function resultOf(fold: EventReader, found: CallInBlock, { files, cleared }: Showing): ModelEntry {
  const read = readAnswerOf(fold, found)
  if (read === null) return unanswered(callOf(fold, found))
  if (cleared.has(found.answered.itemId)) return read.line
  if (read.result.kind !== 'result' || read.images.length === 0) return read.result
  read.shown ??= withImages(read.result, read.images, files)
  return read.shown
}

const withoutResult = new WeakMap<ModelCall, ModelEntry>()

/** Returns what stands for a missing result, the same object each time. */
function unanswered(call: ModelCall): ModelEntry {
  const known = withoutResult.get(call) ?? resultEntry(call.callId, cutHere, true)
  withoutResult.set(call, known)
  return known
}

/** Adds images to a result; the text says which files are missing. */
function withImages(entry: ResultEntry, stored: readonly StoredImage[], files: SideFileReader): ResultEntry {
  const read = stored.map(({ file, mediaType }) => ({ mediaType, base64: files.readBase64(file) }))
  const images = read.flatMap(({ mediaType, base64 }) =>
    base64 === null ? [] : [{ type: 'image' as const, mediaType, base64 }],
  )
  const text = images.length === read.length ? entry.text : `${entry.text}\n${missingFile}`
  return { ...entry, text, ...(images.length === 0 ? {} : { images }) }
}

function userPart(part: ContentItem, files: SideFileReader): UserPart {
  if (part.type === 'text') return { type: 'text', text: wholeText(part, files) }
  const base64 = files.readBase64(part.file)
  return base64 === null ? { type: 'text', text: missingFile } : { type: 'image', mediaType: part.mediaType, base64 }
}

/** Returns the whole text of a part; a long one is read from its side file. */
export function wholeText({ text, file }: Extract<ContentItem, { type: 'text' }>, files: SideFileReader): string {
  return file === undefined ? text : (files.readText(file) ?? missingFile)
}

export function itemAt(fold: EventReader, place: LogOffset): Item {
  const event = eventAt(fold, place)
  if (event.type !== 'item.completed') throw wrongLine(place)
  return event.item
}

function eventAt({ readEvent }: EventReader, place: LogOffset): ConversationEvent {
  if (readEvent === null) throw new Error('a block without its content was not made by an event')
  return readEvent(place)
}

function wrongLine(place: LogOffset): Error {
  return new Error(`the log holds another event at ${place} than it did`)
}

/** Returns the line in place of a result that left the view: its kind, its length, and how to read it again. */
function clearedLine(item: CallItem): string {
  const { id, tool, title } = item
  const size = `${outputOf(item)?.totalBytes ?? utf8Length(item.modelText ?? '')} bytes`
  const what = [`${tool}: ${title.replace(/\s+/g, ' ').slice(0, 200)}`, ...exitOf(item), size].join(', ')
  return `[Cleared to make room: ${what}. read_file "output:${id}" shows it again.]`
}

function outputOf(item: CallItem): CallOutput | undefined {
  return 'output' in item ? item.output : undefined
}

function exitOf(item: CallItem): readonly string[] {
  if (item.type !== 'commandExecution') return item.status === 'completed' ? [] : [item.status]
  if (item.signal !== undefined) return [`killed by ${item.signal}`]
  return typeof item.exitCode === 'number' ? [exitWords(item.exitCode)] : [item.status]
}
