import type { ItemId } from '@parley/protocol'
import { sumOf, type ViewBlock } from '../view/weigh-blocks.ts'

/** Results to clear, and the estimated tokens that this saves. */
export interface Clearing {
  readonly itemIds: readonly ItemId[]
  readonly savedTokens: number
}

/** Saving below which a result stays: the line that says how to read it again is not worth it. */
const leastSaving = 50

/** Chooses all results except the last round's and the newest ones, by count and by their tokens together. */
export function resultsToClear(
  blocks: readonly ViewBlock[],
  kept: { readonly count: number; readonly tokens: number },
): Clearing {
  const lastRound = blocks.findLast(({ kind }) => kind === 'response')
  const older = blocks.flatMap((block) => (block === lastRound ? [] : block.results))
  let room = kept.tokens
  const stays = older.toReversed().findIndex(({ savedTokens }, index) => {
    room -= savedTokens
    return index >= kept.count || room < 0
  })
  const chosen = older
    .slice(0, stays < 0 ? 0 : older.length - stays)
    .filter(({ savedTokens }) => savedTokens >= leastSaving)
  return {
    itemIds: chosen.map(({ itemId }) => itemId),
    savedTokens: sumOf(chosen.map(({ savedTokens }) => savedTokens)),
  }
}

/** Tokens of a round that is always kept. */
const smallRound = 500

interface KeptEnd {
  /** Tokens of messages that no response followed yet. */
  readonly messages: number
  /** Tokens of the last round of calls; 0 where no turn needs its results. */
  readonly round: number
}

/**
 * Counts the blocks that a summary replaces (`hidden`), and the messages at the end that wait for a response (`waiting`).
 * These stay as they are, and so does the last round of calls where it is small: its results have not been read yet.
 */
export function blocksToCompact(blocks: readonly ViewBlock[], kept: KeptEnd) {
  let end = blocks.length
  let room = kept.messages
  while (end > 0) {
    const block = blocks[end - 1]
    if (block === undefined || block.kind === 'response' || block.tokens > room) break
    room -= block.tokens
    end--
  }
  const round = blocks[end - 1]
  // A round that is most of the conversation must be made shorter, unless that would save nearly nothing.
  const older = sumOf(blocks.slice(0, end - 1).map(({ tokens }) => tokens))
  const most = Math.min(kept.round, Math.max(older / 2, smallRound))
  const keepsRound = round?.kind === 'response' && round.results.length > 0 && round.tokens <= most
  return { hidden: keepsRound ? end - 1 : end, waiting: blocks.length - end }
}
