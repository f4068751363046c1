import type { Failure, ItemOf, TurnId } from '@parley/protocol'
import { type Carried, carriedMessages, carriedNotes, compactedEntries } from '../../core/compaction/carried.ts'
import { blocksToCompact, type Clearing, resultsToClear } from '../../core/compaction/choose.ts'
import { tokensOfEntry } from '../../core/compaction/estimate.ts'
import { newestEntries } from '../../core/compaction/prompt.ts'
import { sumOf, type ViewBlock } from '../../core/compaction/weigh-blocks.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { TurnContext } from '../turn/turn-context.ts'
import { asCounted, compactionLimit, requestTokens } from './when-due.ts'
import { writeSummary } from './write-summary.ts'

type CompactionItem = ItemOf<'contextCompaction'>
type Trigger = CompactionItem['trigger']

/** Number of newest results that clearing leaves, besides those of the last round. */
const keptResults = 4
/** Results that clearing leaves where room is needed at once. */
const keptNone = { count: 0, tokens: 0 }
/** Share of the limit that clearing must save to be enough: each one makes the provider read everything anew. */
const clearingShare = 0.25
/** Tokens of messages without a response, which stay in place. */
const keptMessageTokens = 20_000
/** Tokens of the last round where the window is not known. */
const keptRoundTokens = 8000
const keptRoundShare = 0.1

export function compactionItem(id: string, trigger: Trigger, tokens: number): CompactionItem {
  return {
    id,
    type: 'contextCompaction',
    status: 'proposed',
    title: `Compacting ${counted(tokens)}`,
    text: '',
    trigger,
  }
}

/**
 * Asks for a compaction after a request that was too long. Returns false when that was done for this request already, or
 * there is nothing to compact.
 */
export function askToCompact({ conversation, modules }: TurnContext, turnId: TurnId): boolean {
  const { compactions } = conversation.state.core
  if (compactions?.repeated === true || !conversation.view.blocks().some(({ kind }) => kind === 'response'))
    return false
  const item = compactionItem(modules.ids.item(), 'contextTooLong', requestTokens(conversation))
  conversation.record({ type: 'item.started', turnId, item })
  return true
}

/** Returns how a compaction ends that was stopped. It has changed nothing. */
export function interruptedCompaction(item: CompactionItem): CompactionItem {
  return { ...item, status: 'interrupted', title: 'Not compacted: interrupted' }
}

/** Compaction in its turn. */
interface Work {
  readonly turnId: TurnId
  readonly item: CompactionItem
  readonly tokensBefore: number
  readonly blocks: readonly ViewBlock[]
}

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
  const hidden = blocksToCompact(work.blocks, {
    messages: keptMessageTokens,
    round: limit === null ? keptRoundTokens : limit * keptRoundShare,
  })
  const carried = carriedBy(conversation, work.blocks, hidden)
  if (hidden === 0 || tokensAfter(conversation, work, { hidden, carried, summary: '' }) >= tokensBefore)
    return await clearAlone(context, work, smallFailure)
  const written = await writeSummary(context, { turnId, item, entries: summarisedEntries(context, work) })
  if (written.kind === 'aborted' || signal.aborted) return null
  if (written.kind === 'failed') return await clearAlone(context, work, written.failure)
  return await recordCompacted(context, work, { hidden, carried, summary: written.text })
}

const smallFailure: Failure = {
  code: 'nothingToCompact',
  message: 'There is nothing that a summary could make shorter.',
}

/** Returns the results to clear where that alone makes room for some time; null where a summary is needed. */
function enoughClearing(conversation: Conversation, { blocks }: Work, limit: number): Clearing | null {
  const least = limit * clearingShare
  const clearing = resultsToClear(blocks, { count: keptResults, tokens: least })
  if (clearing.savedTokens < least) return null
  return requestTokens(conversation, { cleared: new Set(clearing.itemIds) }) <= limit - least ? clearing : null
}

/** Returns the entries to summarise. Those of a request that was too long come without old results. */
function summarisedEntries(context: TurnContext, { item, blocks }: Work) {
  const { conversation, modules } = context
  const { view, sideFiles } = conversation
  if (item.trigger !== 'contextTooLong') return view.entries(sideFiles)
  const entries = view.entries(sideFiles, { cleared: new Set(resultsToClear(blocks, keptNone).itemIds) })
  const { contextWindow } = modules.model().facts
  return contextWindow === null ? entries : newestEntries(entries, contextWindow * keptWindowShare)
}

/** Share of the window that a request for a summary may fill; the rest is for instructions, tools and the summary. */
const keptWindowShare = 0.7

function carriedBy({ view, sideFiles, state }: Conversation, blocks: readonly ViewBlock[], hidden: number): Carried {
  const upTo = lastHidden(state.core.seq, blocks, hidden)
  return { messages: carriedMessages(view.userTexts(upTo, sideFiles)), notes: carriedNotes(state.core, view.past) }
}

/** Returns the seq before the first block that stays, which is between two rounds. */
function lastHidden(newest: number, blocks: readonly ViewBlock[], hidden: number): number {
  const first = blocks.slice(hidden).find(({ kind }) => kind !== 'sessionContext')
  return first === undefined ? newest : first.seq - 1
}

interface Compacted {
  /** Number of the view's blocks that it stands for. */
  readonly hidden: number
  readonly carried: Carried
  readonly summary: string
}

function tokensAfter(conversation: Conversation, { blocks }: Work, { hidden, carried, summary }: Compacted): number {
  const kept = sumOf(blocks.slice(hidden).map(({ tokens }) => tokens))
  const context = blocks.slice(0, hidden).findLast(({ kind }) => kind === 'sessionContext')?.tokens ?? 0
  const leading = sumOf(compactedEntries(carried, summary).map(tokensOfEntry))
  return asCounted(conversation, kept + context + leading)
}

async function recordCompacted(context: TurnContext, work: Work, compacted: Compacted): Promise<Failure | null> {
  const { conversation, modules, signal } = context
  const { turnId, item, tokensBefore, blocks } = work
  const { hidden, carried, summary } = compacted
  const after = tokensAfter(conversation, work, compacted)
  if (after >= tokensBefore) return await clearAlone(context, work, smallFailure)
  const file = await conversation.sideFiles.put(JSON.stringify(carried))
  if (signal.aborted) return null
  const title = `Compacted: ${counted(tokensBefore)} → ${counted(after)}`
  conversation.recordAll([
    {
      type: 'context.compacted',
      turnId,
      itemId: item.id,
      from: 1,
      to: lastHidden(conversation.state.core.seq, blocks, hidden),
      summary,
      carried: file,
      tokensBefore,
      tokensAfter: after,
      trigger: item.trigger,
      ...(item.by === undefined ? {} : { by: item.by }),
    },
    { type: 'item.completed', turnId, item: { ...item, status: 'completed', title, text: summary } },
  ])
  modules.requests.forget()
  return null
}

/** Clears all results but the last round's where no summary could be had; else ends the compaction as failed. */
async function clearAlone(context: TurnContext, work: Work, why: Failure): Promise<Failure | null> {
  const { conversation } = context
  const { turnId, item, blocks, tokensBefore } = work
  const clearing = resultsToClear(blocks, keptNone)
  if (clearing.savedTokens > 0) {
    recordCleared(context, work, clearing, why === smallFailure ? null : why)
    return null
  }
  const title = `Not compacted: ${why.message}`
  conversation.record({ type: 'item.completed', turnId, item: { ...item, status: 'failed', title, failure: why } })
  return item.trigger === 'contextTooLong' ? tooLong(tokensBefore, why) : null
}

function recordCleared(
  { conversation }: TurnContext,
  { turnId, item, tokensBefore }: Work,
  { itemIds }: Clearing,
  why: Failure | null,
): void {
  const after = requestTokens(conversation, { cleared: new Set(itemIds) })
  const what = itemIds.length === 1 ? '1 old output' : `${itemIds.length} old outputs`
  const title = `Cleared ${what}: ${counted(tokensBefore)} → ${counted(after)}`
  const text = why === null ? '' : `No summary was written: ${why.message}`
  conversation.recordAll([
    {
      type: 'context.cleared',
      turnId,
      itemId: item.id,
      itemIds: [...itemIds],
      tokensBefore,
      tokensAfter: after,
      trigger: item.trigger,
    },
    {
      type: 'item.completed',
      turnId,
      item: { ...item, status: 'completed', title, text, ...(why === null ? {} : { failure: why }) },
    },
  ])
}

function tooLong(tokens: number, why: Failure): Failure {
  return {
    code: 'contextTooLong',
    message: `The conversation (about ${counted(tokens)}) is longer than the model can read, and it could not be compacted: ${why.message} Nothing is lost. Choose a model with a larger window (/model), fork from an earlier message, or begin a new conversation (/new).`,
  }
}

function counted(tokens: number): string {
  return `${tokens.toLocaleString('en-US')} tokens`
}
