import type { ModelCall, ModelEntry, ResultEntry, UserPart } from '@parley/models'
import type { ContentItem, ConversationEvent, EventOf, ItemId } from '@parley/protocol'
import { compactedEntries, parseCarried } from './compaction/carried.ts'
import { type Counted, tokensOfEntry } from './compaction/estimate.ts'
import { type PastFacts, pastFacts } from './compaction/past-facts.ts'
import { shownBlocks, sumOf, type ViewBlock } from './compaction/weigh-blocks.ts'
import type { RepeatedCalls } from './repeated-calls.ts'
import {
  type AnsweredCall,
  type Block,
  type Compacted,
  clearedIn,
  type Fold,
  newestCompacted,
  type Preview,
  resultIn,
  userText,
} from './view-blocks.ts'
import { emptyFold, foldEvent } from './view-fold.ts'

/**
 * Fold over the log that yields what the model sees. Blocks are appended in log order and a block's entries keep their
 * identity, so that the serialised prefix of a request can be cached by entry. A compaction hides blocks and removes
 * none: all of them are there again once it is undone.
 */
export interface ModelView {
  /** Folds one event; the events must come in log order. */
  apply(event: ConversationEvent, seq: number): void
  /**
   * Returns the messages of the next request. Valid for a log cut at any line: each call has exactly one result, in
   * call order. A missing side file becomes a fixed placeholder.
   */
  entries(files: SideFileReader, how?: Preview): readonly ModelEntry[]
  /** Returns the blocks that the next request would hold, without what stands for those that were compacted. */
  blocks(how?: Preview): readonly ViewBlock[]
  /** Returns the texts of all messages of the user up to a seq, oldest first, compacted ones included. */
  userTexts(upTo: number, files: SideFileReader): readonly string[]
  /** Returns the model's call of an item; null for an item that is no call of a complete response. */
  callOf(itemId: ItemId): ModelCall | null
  /** Returns the side file with all output of a command item; null when the output was small enough for the item. */
  outputFileOf(itemId: ItemId): string | null
  /** Returns the result of a call as the model was given it first, also when it was cleared since; null for none. */
  resultOf(itemId: ItemId): string | null
  /** Calls that are made over and over. */
  readonly repeated: RepeatedCalls
  readonly context: EventOf<'context.set'> | null
  readonly past: PastFacts
  /** Titles of the commands left in the background, by their items; those that ended since included. */
  readonly background: ReadonlyMap<ItemId, string>
  /** Input tokens that the provider counted last, beside the estimate of the same entries; null before that. */
  counted(files: SideFileReader): Counted | null
  /** Estimates the tokens of the entries of the next request. */
  estimate(files: SideFileReader, how?: Preview): number
}

/** Reads side files; returns null for a missing or damaged one. */
export interface SideFileReader {
  readText(file: string): string | null
  readBase64(file: string): string | null
}

/** Text in place of a side file that is missing. */
export const missingFile = '(A file of this conversation is missing here.)'

export function createModelView(): ModelView {
  const fold = emptyFold()
  const entries = (files: SideFileReader, how: Preview = {}) => entriesIn(fold, files, how)
  return {
    apply: (event, seq) => foldEvent(fold, event, seq),
    entries,
    blocks: (how = {}) => shownBlocks(fold, how),
    userTexts: (upTo, files) => userTexts(fold, upTo, files),
    callOf: (itemId) => fold.calls.get(itemId)?.call ?? null,
    outputFileOf: (itemId) => fold.outputFiles.get(itemId) ?? null,
    resultOf(itemId) {
      const result = fold.calls.get(itemId)?.result
      return result?.kind === 'result' ? result.text : null
    },
    repeated: fold.repeated,
    background: fold.background,
    estimate: (files, how) => sumOf(entries(files, how).map(tokensOfEntry)),
    get past() {
      return pastFacts(fold.past)
    },
    counted: (files) => countedIn(fold, files),
    get context() {
      return fold.context
    },
  }
}

function entriesIn(fold: Fold, files: SideFileReader, how: Preview): readonly ModelEntry[] {
  const mark = newestCompacted(fold, how)
  const cleared = clearedIn(fold, how)
  const shown = fold.blocks.slice(mark?.hidden ?? 0).flatMap((block) => entriesOf(block, files, cleared))
  return mark === null ? shown : [...leadingEntries(fold, mark, files), ...shown]
}

/** Returns what stands for the hidden blocks: their newest session context, then the carried words and the summary. */
function leadingEntries({ blocks }: Fold, mark: Compacted, files: SideFileReader): readonly ModelEntry[] {
  mark.entries ??= compactedEntries(parseCarried(files.readText(mark.carried)), mark.summary)
  const context = blocks.slice(0, mark.hidden).findLast(({ kind }) => kind === 'sessionContext')
  return [...(context === undefined ? [] : entriesOf(context, files, new Set())), ...mark.entries]
}

function entriesOf(block: Block, files: SideFileReader, cleared: ReadonlySet<ItemId>): readonly ModelEntry[] {
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
      return [block.entry, ...block.calls.map((answered) => shownResult(answered, files, cleared))]
  }
}

/** Returns the result of a call, with its images unless it is cleared. */
function shownResult(answered: AnsweredCall, files: SideFileReader, cleared: ReadonlySet<ItemId>): ModelEntry {
  const entry = resultIn(answered, cleared)
  if (entry !== answered.result || entry.kind !== 'result' || answered.images.length === 0) return entry
  answered.shown ??= withImages(entry, answered.images, files)
  return answered.shown
}

/** Adds images to a result; the text says which files are missing. */
function withImages(entry: ResultEntry, stored: AnsweredCall['images'], files: SideFileReader): ResultEntry {
  const read = stored.map(({ file, mediaType }) => ({ mediaType, base64: files.readBase64(file) }))
  const images = read.flatMap(({ mediaType, base64 }) =>
    base64 === null ? [] : [{ type: 'image' as const, mediaType, base64 }],
  )
  const text = images.length === read.length ? entry.text : `${entry.text}\n${missingFile}`
  return { ...entry, text, ...(images.length === 0 ? {} : { images }) }
}

function userTexts({ blocks }: Fold, upTo: number, files: SideFileReader): readonly string[] {
  return blocks.flatMap((block) =>
    block.kind === 'message' && block.seq <= upTo
      ? [block.content.map((part) => (part.type === 'text' ? textOf(part, files) : `[image ${part.name}]`)).join('\n')]
      : [],
  )
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

/** Returns the newest counts. What stands for compacted blocks is added only here, since it is read from a side file. */
function countedIn(fold: Fold, files: SideFileReader): Counted | null {
  const { counted } = fold
  if (counted === null || counted.mark === null) return counted
  const leading = leadingEntries(fold, counted.mark, files)
  return { ...counted, estimate: counted.estimate + sumOf(leading.map(tokensOfEntry)) }
}
