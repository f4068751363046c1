import type { ModelEntry } from '@parley/models'
import { tokensOfEntry } from './estimate.ts'
import {
  type Block,
  clearedIn,
  type Fold,
  type KeptEntries,
  leftOutIn,
  newestCompacted,
  type Settled,
} from './view-blocks.ts'

/** Adds entries, and what they weigh. */
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
  readonly add: (settled: Settled<Sum>, block: Block) => void
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

function isSettled(block: Block): boolean {
  return block.kind !== 'response' || block.calls.every(({ answer }) => answer !== null)
}
