import type { ItemId } from '@parley/protocol'
import { settledSum } from '../settled-blocks.ts'
import {
  type AnsweredCall,
  type Block,
  clearedIn,
  cutHere,
  type Fold,
  newestCompacted,
  type Preview,
  resultEntry,
} from '../view-blocks.ts'
import { tokensOfEntry, tokensOfImages } from './estimate.ts'

/** Block as a compaction weighs it. */
export interface ViewBlock {
  /** Seq of the event that made it. */
  readonly seq: number
  readonly kind: Block['kind']
  /** True when it was part of an earlier request. */
  readonly isSent: boolean
  readonly tokens: number
  /** Results that can be cleared; none that are cleared already. */
  readonly results: readonly { readonly itemId: ItemId; readonly savedTokens: number }[]
}

/** Returns the blocks that the next request holds, weighed. */
export function shownBlocks(fold: Fold, how: Preview): readonly ViewBlock[] {
  const hidden = newestCompacted(fold, how)?.hidden ?? 0
  const cleared = clearedIn(fold, how)
  return fold.blocks.slice(hidden).map((block, index) => ({
    seq: block.seq,
    kind: block.kind,
    isSent: hidden + index < fold.sent,
    tokens: tokensOfBlock(block, cleared),
    results: block.kind === 'response' ? clearable(block.calls, cleared) : [],
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
function tokensOfBlock(block: Block, cleared: ReadonlySet<ItemId>): number {
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
  fold.weighed = settledSum(fold, {
    known: fold.weighed,
    begin: () => ({ tokens: 0 }),
    add({ cleared, sum }, block) {
      sum.tokens += tokensOfBlock(block, cleared)
    },
  })
  const { blocks, cleared, sum } = fold.weighed
  return sum.tokens + sumOf(fold.blocks.slice(blocks).map((block) => tokensOfBlock(block, cleared)))
}

/** Tells if the next request holds a response: there is something to compact then. */
export function holdsResponse(fold: Fold): boolean {
  const newest = fold.blocks.findLastIndex(({ kind }) => kind === 'response')
  return newest >= 0 && newest >= (newestCompacted(fold, {})?.hidden ?? 0)
}

export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}
