import type { Failure, ItemOf, TurnId } from '@parley/protocol'
import { countedNoun } from '@parley/text'
import type { Conversation } from '../conversation/conversation.ts'
import { type Carried, compactedEntries } from '../core/compaction/carried.ts'
import { type Clearing, resultsToClear } from '../core/compaction/choose.ts'
import { tokensOfEntry } from '../core/view/estimate.ts'
import { sumOf, type ViewBlock } from '../core/view/weigh-blocks.ts'
import type { ModelContext } from '../roles/roles.ts'
import { counted } from './compaction-item.ts'
import { asCounted, requestTokens } from './when-due.ts'

/** Compaction in its turn. */
export interface Work {
  readonly turnId: TurnId
  readonly item: ItemOf<'contextCompaction'>
  readonly tokensBefore: number
  /** Seq of the newest event when it began: what comes later, such as a command of the user, stays in the view. */
  readonly begunAt: number
  readonly blocks: readonly ViewBlock[]
}

export const smallFailure: Failure = {
  code: 'nothingToCompact',
  message: 'There is nothing that a summary could make shorter.',
}

/** Results that clearing leaves where room is needed at once. */
export const keptNone = { count: 0, tokens: 0 }

/** Returns the seq before the first block that stays, which is between two rounds. */
export function lastHidden({ begunAt, blocks }: Pick<Work, 'begunAt' | 'blocks'>, hidden: number): number {
  const first = blocks.slice(hidden).find(({ kind }) => kind !== 'sessionContext')
  return first === undefined ? begunAt : first.seq - 1
}

interface Compacted {
  /** Number of the view's blocks that it stands for. */
  readonly hidden: number
  readonly carried: Carried
  readonly summary: string
}

/** Estimates the next request after a compaction. */
export function tokensAfter(
  conversation: Conversation,
  { blocks }: Work,
  { hidden, carried, summary }: Compacted,
): number {
  const kept = sumOf(blocks.slice(hidden).map(({ tokens }) => tokens))
  const context = blocks.slice(0, hidden).findLast(({ kind }) => kind === 'sessionContext')?.tokens ?? 0
  const leading = sumOf(compactedEntries(carried, summary).map(tokensOfEntry))
  return asCounted(conversation, kept + context + leading)
}

/**
 * Records a compaction that makes the next request smaller; any other ends with results cleared alone. On a full disk it
 * waits for room: the summary is in memory only, and another would be paid for.
 */
export async function recordCompacted(
  context: ModelContext,
  work: Work,
  compacted: Compacted,
): Promise<Failure | null> {
  const {
    record: { conversation, storage },
    model,
    signal,
  } = context
  const { turnId, item, tokensBefore } = work
  const { hidden, carried, summary } = compacted
  const after = tokensAfter(conversation, work, compacted)
  if (after >= tokensBefore) return await clearAlone(context, work, smallFailure)
  const how = summary === '' ? 'Compacted without a summary' : 'Compacted'
  const title = `${how}: ${counted(tokensBefore)} → ${counted(after)}`
  await storage.persist(async () => {
    const file = await conversation.sideFiles.put(JSON.stringify(carried))
    if (signal.aborted) return
    conversation.recordAll([
      {
        type: 'context.compacted',
        turnId,
        itemId: item.id,
        from: 1,
        to: lastHidden(work, hidden),
        summary,
        carried: file,
        tokensBefore,
        tokensAfter: after,
        trigger: item.trigger,
        ...(item.by === undefined ? {} : { by: item.by }),
      },
      { type: 'item.completed', turnId, item: { ...item, status: 'completed', title, text: summary } },
    ])
  }, signal)
  model.requests.forget()
  return null
}

/** Clears all results but the last round's where no summary could be had; else ends the compaction as failed. */
export async function clearAlone(context: ModelContext, work: Work, why: Failure): Promise<Failure | null> {
  const {
    record: { conversation },
  } = context
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

/**
 * Records that results leave the view. `why` gives the reason for the missing summary; null where no summary was
 * needed.
 */
export function recordCleared(
  { record: { conversation } }: ModelContext,
  { turnId, item, tokensBefore }: Work,
  { itemIds }: Clearing,
  why: Failure | null,
): void {
  const after = requestTokens(conversation, { cleared: new Set(itemIds) })
  const title = `Cleared ${countedNoun(itemIds.length, 'old output')}: ${counted(tokensBefore)} → ${counted(after)}`
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
