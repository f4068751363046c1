import type { ModelEntry } from '@parley/models'
import type { Failure, ItemOf } from '@parley/protocol'
import { type Carried, carriedMessages, carriedNotes } from '../../core/compaction/carried.ts'
import { blocksToCompact, type Clearing, resultsToClear } from '../../core/compaction/choose.ts'
import { newestEntries } from '../../core/compaction/prompt.ts'
import type { ViewBlock } from '../../core/compaction/weigh-blocks.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { TurnContext } from '../turn/turn-context.ts'
import { compactionItem } from './compaction-item.ts'
import {
  clearAlone,
  keptNone,
  lastHidden,
  recordCleared,
  recordCompacted,
  smallFailure,
  tokensAfter,
  type Work,
} from './record-compaction.ts'
import { compactionLimit, requestTokens } from './when-due.ts'
import { writeSummary } from './write-summary.ts'

type CompactionItem = ItemOf<'contextCompaction'>

/** Number of newest results that clearing leaves, besides those of the last round. */
const keptResults = 4
/** Share of the limit that clearing must save to be enough: each one makes the provider read everything anew. */
const clearingShare = 0.25
/** Tokens of messages without a response, which stay in place. */
const keptMessageTokens = 20_000
/** Tokens of the last round where the window is not known. */
const keptRoundTokens = 8000
const keptRoundShare = 0.1

/**
 * Compacts the model's view: clears old results where that is enough for now, else has a summary written. Resolves to the
 * failure that ends the turn where the conversation stays too long, or null.
 */
export async function runCompaction(context: TurnContext, asked: CompactionItem | null): Promise<Failure | null> {
  const { conversation, modules, signal } = context
  const turnId = conversation.state.core.turn?.id
  if (turnId === undefined) return null
  const tokensBefore = requestTokens(conversation)
  const item = asked ?? compactionItem(modules.ids.item(), 'auto', tokensBefore)
  const work: Work = { turnId, item, tokensBefore, blocks: conversation.view.blocks() }
  const limit = compactionLimit(context)
  const clearing = limit === null || item.trigger !== 'auto' ? null : enoughClearing(conversation, work, limit)
  if (clearing !== null) {
    recordCleared(context, work, clearing, null)
    return null
  }
  const { hidden, waiting } = blocksToCompact(work.blocks, {
    messages: keptMessageTokens,
    round: limit === null ? keptRoundTokens : limit * keptRoundShare,
  })
  const carried = carriedBy(conversation, work.blocks, hidden)
  if (hidden === 0 || tokensAfter(conversation, work, { hidden, carried, summary: '' }) >= tokensBefore)
    return await clearAlone(context, work, smallFailure)
  const written = await writeSummary(context, { turnId, item, entries: summarisedEntries(context, work, waiting) })
  if (written.kind === 'aborted' || signal.aborted) return null
  if (written.kind === 'failed') return await clearAlone(context, work, written.failure)
  return await recordCompacted(context, work, { hidden, carried, summary: written.text })
}

/** Returns the results to clear where that alone makes room for some time; null where a summary is needed. */
function enoughClearing(conversation: Conversation, { blocks }: Work, limit: number): Clearing | null {
  const least = limit * clearingShare
  const clearing = resultsToClear(blocks, { count: keptResults, tokens: least })
  if (clearing.savedTokens < least) return null
  return requestTokens(conversation, { cleared: new Set(clearing.itemIds) }) <= limit - least ? clearing : null
}

/**
 * Returns the entries to summarise, without messages that wait: on some wires they would be one message with the request.
 * Those of a request that was too long come without old results.
 */
function summarisedEntries(context: TurnContext, { item, blocks }: Work, waiting: number): readonly ModelEntry[] {
  const { conversation, modules } = context
  const { view, sideFiles } = conversation
  const isTooLong = item.trigger === 'contextTooLong'
  const cleared = new Set(isTooLong ? resultsToClear(blocks, keptNone).itemIds : [])
  const all = view.entries(sideFiles, { cleared })
  const entries = all.slice(0, all.length - waiting)
  const { contextWindow } = modules.model().facts
  return isTooLong && contextWindow !== null ? newestEntries(entries, contextWindow * keptWindowShare) : entries
}

/** Share of the window that a request for a summary may fill; the rest is for instructions, tools and the summary. */
const keptWindowShare = 0.7

function carriedBy({ view, sideFiles, state }: Conversation, blocks: readonly ViewBlock[], hidden: number): Carried {
  const upTo = lastHidden(state.core.seq, blocks, hidden)
  return { messages: carriedMessages(view.userTexts(upTo, sideFiles)), notes: carriedNotes(state.core, view.past) }
}
