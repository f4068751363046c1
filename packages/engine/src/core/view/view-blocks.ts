import type { ModelCall, ModelEntry } from '@parley/models'
import type { ContentItem, ConversationEvent, EventOf, Item, ItemId, ItemOf, MessageId } from '@parley/protocol'
import type { Counted } from './estimate.ts'
import type { PastFold } from './past-facts.ts'
import type { RepeatedCalls } from './repeated-calls.ts'

/** Byte offset of a line in the log, from the end of the header. */
export type LogOffset = number

/**
 * Block of the view. A null content was not read yet: it is in the line at `place`. `tokens` excludes results and the
 * content of side files.
 */
export type FoldBlock = { readonly seq: number; readonly tokens: number } & (
  | { readonly kind: 'entry'; readonly entry: ModelEntry }
  | { readonly kind: 'sessionContext'; readonly file: string; entry: ModelEntry | null }
  | { readonly kind: 'userAct'; readonly place: LogOffset; entry: ModelEntry | null }
  | {
      readonly kind: 'message'
      readonly place: LogOffset
      content: readonly ContentItem[] | null
      entry: ModelEntry | null
    }
  | ResponseBlock
)

export interface ResponseBlock {
  readonly seq: number
  readonly tokens: number
  readonly kind: 'response'
  readonly place: LogOffset
  entry: ModelEntry | null
  readonly calls: readonly AnsweredCall[]
}

export interface AnsweredCall {
  readonly itemId: ItemId
  /** Call as the model made it; null until its response is read. */
  call: ModelCall | null
  /** Sizes of the result and place of its line; null for a call without a result. */
  answer: CallResult | null
  /** Result as it was read. */
  read: ReadAnswer | null
}

export interface CallResult {
  readonly place: LogOffset
  readonly tokens: number
  /** Tokens of the line that stands for the result where it is cleared. */
  readonly lineTokens: number
  readonly images: number
}

interface ReadAnswer {
  readonly result: ModelEntry
  /** Line that stands for the result where it is cleared. */
  readonly line: ModelEntry
  readonly images: readonly StoredImage[]
  /** Result with the content of its images; null until that is read. */
  shown: ModelEntry | null
}

export type StoredImage = NonNullable<ItemOf<'toolCall'>['images']>[number]

/** Reads the event of a line again. Throws when the log does not hold it any more. */
export type ReadEvent = (place: LogOffset) => ConversationEvent

/** Compaction that holds. */
export type Mark = { readonly seq: number } & (
  | {
      readonly kind: 'cleared'
      readonly itemIds: readonly ItemId[]
      /** Seqs of blocks and compactions that are left out whole, because the provider refused them. */
      readonly seqs?: readonly number[]
    }
  | {
      readonly kind: 'compacted'
      readonly summary: string
      readonly carried: string
      /** Number of blocks that it stands for. */
      readonly hidden: number
      entries: readonly ModelEntry[] | null
    }
)

export type Compacted = Extract<Mark, { kind: 'compacted' }>

/**
 * Sum over the blocks that stay as they are: sent blocks with all calls ended. Requests differ only behind them, so a
 * call costs the same in a long conversation.
 */
export interface Settled<Sum> {
  /** Compactions under which it holds; another list makes it anew. */
  readonly marks: readonly Mark[]
  /** Calls with cleared results. */
  readonly cleared: ReadonlySet<ItemId>
  readonly leftOut: LeftOut
  /** Number of blocks that are in the sum or hidden before it. */
  blocks: number
  readonly sum: Sum
}

/** Entries of settled blocks, with their tokens. */
export interface KeptEntries {
  readonly entries: ModelEntry[]
  tokens: number
}

/** Calls of the fold, changed in place. */
export interface FoldedCalls {
  readonly byItem: Map<ItemId, { readonly block: ResponseBlock; readonly answered: AnsweredCall }>
  /** Items with their output in a side file, and that file; null where it was not read yet. */
  readonly outputs: Map<ItemId, { readonly place: LogOffset; readonly file: string | null }>
  /** Titles of the commands left in the background, by their items. */
  readonly background: Map<ItemId, string>
  readonly repeated: RepeatedCalls
}

/** State of the fold, changed in place, since a conversation may have thousands of blocks. */
export interface Fold {
  /** Reads dropped contents of blocks again; null where all blocks hold their content. */
  readonly readEvent: ReadEvent | null
  readonly blocks: FoldBlock[]
  readonly calls: FoldedCalls
  readonly past: PastFold
  marks: readonly Mark[]
  context: EventOf<'context.set'> | null
  /** Newest counts of the provider, with the estimate of the blocks that it had counted. */
  counted: (Counted & { readonly mark: Compacted | null }) | null
  /** Entries of hooks about messages that wait, by message. */
  readonly queued: Map<MessageId, ModelEntry[]>
  /** Message texts of an incomplete response. */
  draft: string[]
  /** Number of blocks that were sent or answered a request; later blocks have not been sent. */
  sent: number
  /** Sums over the blocks of the next request as far as they have settled; null before the first. */
  readonly settled: { entries: Settled<KeptEntries> | null; tokens: Settled<{ tokens: number }> | null }
}

/** Returns the compaction that the next request begins with, or null. */
export function newestCompacted({ marks }: Pick<Fold, 'marks'>, { without }: Preview): Compacted | null {
  return marks.findLast((mark): mark is Compacted => mark.kind === 'compacted' && mark.seq !== without) ?? null
}

/** Returns the calls without a result in the next request. */
export function clearedIn({ marks }: Fold, { cleared = new Set(), without }: Preview): ReadonlySet<ItemId> {
  const before = marks.flatMap((mark) => (mark.kind === 'cleared' && mark.seq !== without ? mark.itemIds : []))
  return before.length === 0 ? cleared : new Set([...before, ...cleared])
}

/** Entry that stands for each block that is left out whole, by its seq; null behind another one that is left out. */
export type LeftOut = ReadonlyMap<number, ModelEntry | null>

const noneLeftOut: LeftOut = new Map()

/** Returns the blocks that are left out whole. One line stands for a row of them. */
export function leftOutIn({ marks, blocks }: Pick<Fold, 'marks' | 'blocks'>, { without }: Preview): LeftOut {
  const seqs = new Set(
    marks.flatMap((mark) => (mark.kind === 'cleared' && mark.seq !== without ? (mark.seqs ?? []) : [])),
  )
  if (seqs.size === 0) return noneLeftOut
  const left = new Map<number, ModelEntry | null>()
  // A compaction that is left out is no block.
  for (const { seq } of marks) if (seqs.has(seq)) left.set(seq, leftOutLine)
  let isBehind = false
  for (const { seq, kind } of blocks) {
    if (kind === 'sessionContext') continue
    if (seqs.has(seq)) left.set(seq, isBehind ? null : leftOutLine)
    isBehind = seqs.has(seq)
  }
  return left
}

const leftOutLine = userText(
  '(Part of this conversation stood here. It is left out, because the provider of the model refused it. What its calls did stands. Tell me what you would need of it.)',
)

export const cutHere = 'Not run: the conversation was cut here.'

export function userText(text: string): ModelEntry {
  return { kind: 'user', content: [{ type: 'text', text }] }
}

export function resultEntry(callId: string, text: string, isError: boolean): ModelEntry {
  return { kind: 'result', callId, text, isError }
}

/** View as it would be: with further results cleared, or with a compaction undone. */
export interface Preview {
  readonly cleared?: ReadonlySet<ItemId>
  /** Seq of a compaction that does not count. */
  readonly without?: number
}

/** Tells if a user changed files by an item, which no model asked for: took them back, or added a line to remember. */
export function isUserChange(item: Item): boolean {
  return item.type === 'fileChange' && (item.rewind !== undefined || item.remembered !== undefined)
}
