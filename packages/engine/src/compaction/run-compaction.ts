import type { ModelEntry } from '@parley/models'
import type { Failure, ItemOf } from '@parley/protocol'
import type { Conversation } from '../conversation/conversation.ts'
import { type Carried, carriedMessages, carriedNotes } from '../core/compaction/carried.ts'
import { blocksToCompact, type Clearing, resultsToClear } from '../core/compaction/choose.ts'
import { newestEntries } from '../core/compaction/prompt.ts'
import type { ModelContext } from '../roles/roles.ts'
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
import { summaryModel, writeSummary } from './write-summary.ts'

type CompactionItem = ItemOf<'contextCompaction'>

/** Number of newest results that clearing leaves, besides the results of the last round. */
const keptResults = 4
/** Share of the limit that clearing must save to be enough: each one makes the provider read everything anew. */
const clearingShare = 0.25
/** Tokens of messages without a response, which stay in place, where the window is not known. */
const keptMessageTokens = 20_000
const keptMessageShare = 0.5
/** Tokens of the last round where the window is not known. */
const keptRoundTokens = 8000
const keptRoundShare = 0.1

/**
 * Compacts the model's view: clears old results where that is enough for now, else has a summary written. Resolves to the
 * failure that ends the turn where the conversation stays too long, or null.
 */
export async function runCompaction(context: ModelContext, asked: CompactionItem | null): Promise<Failure | null> {
  const {
    record: { conversation, ids },
    signal,
  } = context
  const turnId = conversation.state.core.turn?.id
  if (turnId === undefined) return null
  const tokensBefore = requestTokens(conversation)
  const item = asked ?? compactionItem(ids.item(), 'auto', tokensBefore)
  const begunAt = conversation.state.core.seq
  const work: Work = { turnId, item, tokensBefore, begunAt, blocks: conversation.view.request.blocks() }
  const limit = compactionLimit(context.model)
  const clearing = limit === null || item.trigger !== 'auto' ? null : enoughClearing(conversation, work, limit)
  if (clearing !== null) {
    recordCleared(context, work, clearing, null)
    return null
  }
  const { hidden, waiting } = blocksToCompact(work.blocks, {
    messages: limit === null ? keptMessageTokens : limit * keptMessageShare,
    round: limit === null ? keptRoundTokens : limit * keptRoundShare,
  })
  const carried = carriedBy(conversation, work, { hidden, limit })
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
 * Where they are too long for the model that writes the summary, old results are left out.
 */
function summarisedEntries(context: ModelContext, work: Work, waiting: number): readonly ModelEntry[] {
  const {
    record: { conversation },
  } = context
  const { item, blocks, tokensBefore } = work
  const { view, sideFiles } = conversation
  const { contextWindow } = summaryModel(context.model).facts
  const isOver = contextWindow !== null && tokensBefore > contextWindow * fullWindowShare
  const isTooLong = item.trigger === 'contextTooLong' || isOver
  const cleared = new Set(isTooLong ? resultsToClear(blocks, keptNone).itemIds : [])
  const all = view.request.entries(sideFiles, { cleared })
  const entries = all.slice(0, all.length - waiting)
  return isTooLong && contextWindow !== null ? newestEntries(entries, contextWindow * keptWindowShare) : entries
}

/** Share of the window that a request for a summary may fill; the rest is for instructions, tools and the summary. */
const keptWindowShare = 0.7
/** Share of the window beyond which a request for a summary leaves no room for one. */
const fullWindowShare = 0.95

interface Chosen {
  readonly hidden: number
  /** Tokens from which on the conversation is compacted; null where the window is not known. */
  readonly limit: number | null
}

function carriedBy({ view, sideFiles, state }: Conversation, work: Work, { hidden, limit }: Chosen): Carried {
  const texts = view.userTexts(lastHidden(work, hidden), sideFiles)
  return { messages: carriedMessages(texts, limit), notes: carriedNotes(state.core, view.past) }
}
