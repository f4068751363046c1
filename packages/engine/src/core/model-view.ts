import type { ModelCall, ModelEntry } from '@parley/models'
import type { ConversationEvent, EventOf, Item, ItemId } from '@parley/protocol'
import { compactedEntries, parseCarried, type UserText } from './compaction/carried.ts'
import { type Counted, tokensOfEntry } from './view/estimate.ts'
import { type PastFacts, pastFacts } from './view/past-facts.ts'
import type { RepeatedCalls } from './view/repeated-calls.ts'
import { requestPieces } from './view/request-pieces.ts'
import {
  type Compacted,
  clearedIn,
  type Fold,
  type FoldBlock,
  type KeptEntries,
  type LeftOut,
  leftOutIn,
  newestCompacted,
  type Preview,
  type Settled,
} from './view/view-blocks.ts'
import {
  callOf,
  contentOf,
  entriesOf,
  isRead,
  itemAt,
  readAnswerOf,
  readBlock,
  type SideFileReader,
  wholeText,
} from './view/view-content.ts'
import { emptyFold, foldEvent, type Spot } from './view/view-fold.ts'
import { partsOf, type ViewPart } from './view/view-snapshot.ts'
import { holdsResponse, keep, settledSum, shownBlocks, sumOf, type ViewBlock } from './view/weigh-blocks.ts'

/** Content of the next request of a view. Previews are made `how`, as if results were cleared. */
interface RequestView {
  /** Reads the content of the next request from the log, one block at each step, so that other work goes on between. */
  reading(how?: Preview): Generator<void>
  /**
   * Returns the messages of the next request. Valid for a log cut at any line: each call has exactly one result, in
   * call order. A missing side file becomes a fixed placeholder.
   */
  entries(files: SideFileReader, how?: Preview): readonly ModelEntry[]
  /** Returns the blocks that the next request would hold, without the entries in place of compacted blocks. */
  blocks(how?: Preview): readonly ViewBlock[]
  /** Returns the parts of the next request in its order. */
  pieces(files: SideFileReader): ReturnType<typeof requestPieces>
  /** Tells if the next request holds a response of the model. */
  isAnswered(): boolean
  /** Input tokens that the provider counted last, beside the estimate of the same entries; null before that. */
  counted(files: SideFileReader): Counted | null
  /** Estimates the tokens of the entries of the next request. */
  estimate(files: SideFileReader, how?: Preview): number
}

/** Calls of the model in a view, and their results. */
export interface CallsView {
  /** Returns the model's call of an item; null for an item that is no call of a complete response. */
  of(itemId: ItemId): ModelCall | null
  /** Returns the item of a call that has been answered; null for any other. */
  answered(itemId: ItemId): Item | null
  /** Returns the side file with all output of a command item; null when the output was small enough for the item. */
  outputFileOf(itemId: ItemId): string | null
  /** Returns the result of a call as the model first got it, also when it was cleared since; null without a result. */
  resultOf(itemId: ItemId): string | null
  /** Calls that are made over and over. */
  readonly repeated: RepeatedCalls
  /** Titles of the commands left in the background, by their items; without commands that ended since. */
  readonly background: ReadonlyMap<ItemId, string>
}

/**
 * Fold over the log that yields the model's view. Blocks are in log order and their entries keep their identity, since
 * the serialised prefix is cached by it. A compaction hides blocks and removes nothing.
 */
export interface ModelView {
  /** Folds one event; the events must come in log order. */
  apply(event: ConversationEvent, spot: Spot): void
  /** Yields the fold as JSON, part by part, from which a view goes on (`addPart`). No event may be applied in between. */
  parts(): Iterable<ViewPart>
  readonly request: RequestView
  readonly calls: CallsView
  /** Yields the messages of the user up to a seq, newest first, compacted ones included. Each is read as it is taken. */
  userTexts(upTo: number, files: SideFileReader): Iterable<UserText>
  readonly context: EventOf<'context.set'> | null
  readonly past: PastFacts
}

/** Creates the view of a log from its first event on, or from an earlier fold. */
export function createModelView(fold: Fold = emptyFold(null)): ModelView {
  return {
    apply: (event, spot) => foldEvent(fold, event, spot),
    parts: () => partsOf(fold),
    request: {
      reading: (how = {}) => readingOf(fold, how),
      entries: (files, how = {}) => entriesIn(fold, files, how),
      blocks: (how = {}) => shownBlocks(fold, how),
      pieces: (files) => requestPieces(fold, files),
      isAnswered: () => holdsResponse(fold),
      counted: (files) => countedIn(fold, files),
      estimate: (files, how = {}) => estimateOf(fold, files, how),
    },
    calls: callsIn(fold),
    userTexts: (upTo, files) => userTexts(fold, upTo, files),
    get context() {
      return fold.context
    },
    get past() {
      return pastFacts(fold.past)
    },
  }
}

function callsIn(fold: Pick<Fold, 'calls' | 'readEvent'>): CallsView {
  const { calls } = fold
  return {
    of(itemId) {
      const found = calls.byItem.get(itemId)
      return found === undefined ? null : callOf(fold, found)
    },
    answered(itemId) {
      const answer = calls.byItem.get(itemId)?.answered.answer
      return answer == null ? null : itemAt(fold, answer.place)
    },
    outputFileOf(itemId) {
      const known = calls.outputs.get(itemId)
      if (known === undefined || known.file !== null) return known?.file ?? null
      const item = itemAt(fold, known.place)
      return 'output' in item ? (item.output?.file ?? null) : null
    },
    resultOf(itemId) {
      const found = calls.byItem.get(itemId)
      const result = found === undefined ? undefined : readAnswerOf(fold, found)?.result
      return result?.kind === 'result' ? result.text : null
    },
    repeated: calls.repeated,
    background: calls.background,
  }
}

function* readingOf(fold: Fold, how: Preview): Generator<void> {
  for (const block of fold.blocks.slice(newestCompacted(fold, how)?.hidden ?? 0)) {
    if (isRead(block)) continue
    readBlock(fold, block)
    yield
  }
}

function entriesIn(fold: Fold, files: SideFileReader, how: Preview): readonly ModelEntry[] {
  if (isPreview(how)) return previewed(fold, files, how)
  const { sum, rest } = settledEntries(fold, files)
  return sum.entries.concat(rest)
}

function estimateOf(fold: Fold, files: SideFileReader, how: Preview): number {
  if (isPreview(how)) return sumOf(previewed(fold, files, how).map(tokensOfEntry))
  const { sum, rest } = settledEntries(fold, files)
  return sum.tokens + sumOf(rest.map(tokensOfEntry))
}

function isPreview({ cleared, without }: Preview): boolean {
  return cleared !== undefined || without !== undefined
}

/** Returns the entries of the next request: the settled ones, which are kept, and the rest. */
function settledEntries(fold: Fold, files: SideFileReader) {
  const entriesAt = (block: FoldBlock, { cleared, leftOut }: Pick<Settled<unknown>, 'cleared' | 'leftOut'>) =>
    entriesOf(fold, block, { files, cleared, leftOut })
  const mark = newestCompacted(fold, {})
  fold.settled.entries = settledSum<KeptEntries>(fold, {
    known: fold.settled.entries,
    begin() {
      const kept = { entries: [], tokens: 0 }
      if (mark !== null) keep(kept, leadingEntries(fold, mark, { files, leftOut: leftOutIn(fold, {}) }))
      return kept
    },
    add: (settled, block) => keep(settled.sum, entriesAt(block, settled)),
  })
  const { entries: kept } = fold.settled
  return { sum: kept.sum, rest: fold.blocks.slice(kept.blocks).flatMap((block) => entriesAt(block, kept)) }
}

function previewed(fold: Fold, files: SideFileReader, how: Preview): readonly ModelEntry[] {
  const mark = newestCompacted(fold, how)
  const showing = { files, cleared: clearedIn(fold, how), leftOut: leftOutIn(fold, how) }
  const shown = fold.blocks.slice(mark?.hidden ?? 0).flatMap((block) => entriesOf(fold, block, showing))
  return mark === null ? shown : [...leadingEntries(fold, mark, showing), ...shown]
}

/** Returns what stands for the hidden blocks: their newest session context, then the carried words and the summary. */
function leadingEntries(
  fold: Fold,
  mark: Compacted,
  { files, leftOut }: { readonly files: SideFileReader; readonly leftOut: LeftOut },
): readonly ModelEntry[] {
  mark.entries ??= compactedEntries(parseCarried(files.readText(mark.carried)), mark.summary)
  const context = fold.blocks.slice(0, mark.hidden).findLast(({ kind }) => kind === 'sessionContext')
  const first = context === undefined ? [] : entriesOf(fold, context, { files, cleared: new Set(), leftOut })
  const line = leftOut.get(mark.seq)
  return [...first, ...(line == null ? mark.entries : [line])]
}

function* userTexts(fold: Fold, upTo: number, files: SideFileReader): Generator<UserText, void, undefined> {
  const leftOut = leftOutIn(fold, {})
  const messages = fold.blocks.flatMap((block) => (block.kind === 'message' && block.seq <= upTo ? [block] : []))
  for (const [index, block] of [...messages.entries()].reverse()) {
    if (leftOut.has(block.seq)) continue
    const parts = contentOf(fold, block).map((part) =>
      part.type === 'text' ? wholeText(part, files) : `[image ${part.name}]`,
    )
    yield { number: index + 1, text: parts.join('\n') }
  }
}

/** Returns the newest counts. What stands for compacted blocks is added only here, since it is read from a side file. */
function countedIn(fold: Fold, files: SideFileReader): Counted | null {
  const { counted } = fold
  if (counted === null || counted.mark === null) return counted
  const leading = leadingEntries(fold, counted.mark, { files, leftOut: leftOutIn(fold, {}) })
  return { ...counted, estimate: counted.estimate + sumOf(leading.map(tokensOfEntry)) }
}
