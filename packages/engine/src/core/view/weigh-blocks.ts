import type { ModelEntry } from '@parley/models'
import type { ItemId } from '@parley/protocol'
import { tokensOfEntry, tokensOfImages } from './estimate.ts'
import {
  type AnsweredCall,
  clearedIn,
  cutHere,
  type Fold,
  type FoldBlock,
  type KeptEntries,
  leftOutIn,
  newestCompacted,
  type Preview,
  resultEntry,
  type Settled,
} from './view-blocks.ts'

/** Block as a compaction weighs it. */
export interface ViewBlock {
  /** Seq of the event that made it. */
  readonly seq: number
  readonly kind: FoldBlock['kind']
  /** True when it was part of an earlier request. */
  readonly isSent: boolean
  readonly tokens: number
  /** Results that can be cleared and are not cleared already. */
  readonly results: readonly { readonly itemId: ItemId; readonly savedTokens: number }[]
}

/** Returns the blocks that the next request holds, weighed. */
export function shownBlocks(fold: Fold, how: Preview): readonly ViewBlock[] {
  const hidden = newestCompacted(fold, how)?.hidden ?? 0
  const view = { cleared: clearedIn(fold, how), leftOut: leftOutIn(fold, how) }
  return fold.blocks.slice(hidden).map((block, index) => ({
    seq: block.seq,
    kind: block.kind,
    isSent: hidden + index < fold.sent,
    tokens: tokensOfBlock(block, view),
    results: block.kind === 'response' && !view.leftOut.has(block.seq) ? clearable(block.calls, view.cleared) : [],
  }))
}

function clearable(calls: readonly AnsweredCall[], cleared: ReadonlySet<ItemId>): ViewBlock['results'] {
  return calls.flatMap(({ itemId, answer }) =>
    answer === null || cleared.has(itemId)
      ? []
      : [{ itemId, savedTokens: answer.tokens + tokensOfImages(answer.images) - answer.lineTokens }],
  )
}

/** Estimates the tokens of a block without reading side files. */
function tokensOfBlock(block: FoldBlock, { cleared, leftOut }: Pick<Settled<unknown>, 'cleared' | 'leftOut'>): number {
  const line = block.kind === 'sessionContext' ? undefined : leftOut.get(block.seq)
  if (line !== undefined) return line === null ? 0 : tokensOfEntry(line)
  if (block.kind !== 'response') return block.tokens
  return block.tokens + sumOf(block.calls.map((call) => tokensOfResult(call, cleared)))
}

function tokensOfResult({ itemId, answer }: AnsweredCall, cleared: ReadonlySet<ItemId>): number {
  if (answer === null) return unansweredTokens
  return cleared.has(itemId) ? answer.lineTokens : answer.tokens + tokensOfImages(answer.images)
}

const unansweredTokens = tokensOfEntry(resultEntry('', cutHere, true))

/** Estimates the tokens of the shown blocks, without what stands for compacted ones. */
export function tokensOfBlocks(fold: Fold): number {
  fold.settled.tokens = settledSum(fold, {
    known: fold.settled.tokens,
    begin: () => ({ tokens: 0 }),
    add(settled, block) {
      settled.sum.tokens += tokensOfBlock(block, settled)
    },
  })
  const { tokens: weighed } = fold.settled
  return weighed.sum.tokens + sumOf(fold.blocks.slice(weighed.blocks).map((block) => tokensOfBlock(block, weighed)))
}

/** Tells if the next request holds a response: there is something to compact then. */
export function holdsResponse(fold: Fold): boolean {
  const newest = fold.blocks.findLastIndex(({ kind }) => kind === 'response')
  return newest >= 0 && newest >= (newestCompacted(fold, {})?.hidden ?? 0)
}

export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}

/** Adds entries and their weight. */
export function keep(kept: KeptEntries, entries: readonly ModelEntry[]): void {
  for (const entry of entries) {
    kept.entries.push(entry)
    kept.tokens += tokensOfEntry(entry)
  }
}

interface Summing<Sum> {
  readonly known: Settled<Sum> | null
  /** Makes the sum of no blocks. */
  readonly begin: () => Sum
  /** Adds a block, in place. */
  readonly add: (settled: Settled<Sum>, block: FoldBlock) => void
}

/** Returns the sum with the blocks that have settled since. */
export function settledSum<Sum>(fold: Fold, { known, begin, add }: Summing<Sum>): Settled<Sum> {
  const { marks, blocks, sent } = fold
  const holds = known !== null && known.marks === marks
  const hidden = newestCompacted(fold, {})?.hidden ?? 0
  const settled = holds
    ? known
    : { marks, cleared: clearedIn(fold, {}), leftOut: leftOutIn(fold, {}), blocks: hidden, sum: begin() }
  for (const block of blocks.slice(settled.blocks, sent)) {
    if (!isSettled(block)) break
    add(settled, block)
    settled.blocks += 1
  }
  return settled
}

function isSettled(block: FoldBlock): boolean {
  return block.kind !== 'response' || block.calls.every(({ answer }) => answer !== null)
}
