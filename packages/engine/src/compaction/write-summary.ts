import type { ModelEntry, ModelFacts, ModelFailure, ModelRequest } from '@parley/models'
import type { Failure, ItemOf, TurnId } from '@parley/protocol'
import { readableEntries } from '../context/request-source.ts'
import { createCoalescer, createDeltaWriter } from '../conversation/deltas.ts'
import { newestEntries, summaryPrompt } from '../core/compaction/prompt.ts'
import { tokensOfEntry } from '../core/view/estimate.ts'
import { sumOf } from '../core/view/weigh-blocks.ts'
import { createCallRetries, waitForRetry } from '../model-calls/call-retries.ts'
import { toFailure } from '../model-calls/refusal.ts'
import { counted } from '../model-calls/response-size.ts'
import type { ModelContext, ModelRole } from '../roles/roles.ts'
import { readSummary, type SummaryEnd, type SummaryOutcome, stillTooLong } from './read-summary.ts'

type CompactionItem = ItemOf<'contextCompaction'>

interface Summarised {
  readonly turnId: TurnId
  readonly item: CompactionItem
  /** Entries of the view that is compacted. */
  readonly entries: readonly ModelEntry[]
}

/** Times that a request for a summary is halved when the provider finds it too long. */
export const halvings = 2

/**
 * Streams a summary into its item, with the retries of a model call. A request that is too long is tried with half of it,
 * and an empty answer is asked for once more.
 */
export async function writeSummary(
  context: ModelContext,
  { turnId, item, entries }: Summarised,
): Promise<SummaryOutcome> {
  const {
    record: { conversation },
    signal,
  } = context
  const retry = createRetries(context, turnId)
  let shown = entries
  let halved = 0
  let wasEmpty = false
  while (!signal.aborted) {
    conversation.record({ type: 'item.started', turnId, item: { ...item, status: 'inProgress' } })
    const end = await streamOnce(context, { turnId, item, entries: shown })
    if (end.kind === 'written' && end.text === '' && !wasEmpty) {
      wasEmpty = true
      continue
    }
    if (end.kind !== 'fault') return end
    if (isTooLong(end.fault) && halved < halvings && shown.length > 1) {
      halved++
      shown = newestEntries(shown, sumOf(shown.map(tokensOfEntry)) / 2)
      continue
    }
    const failure = await retry(end.fault)
    if (failure !== null) return { kind: 'failed', failure }
  }
  return { kind: 'aborted' }
}

/** Returns a function that waits until the request may be made again; it resolves to a failure where it may not. */
function createRetries(context: ModelContext, turnId: TurnId): (fault: ModelFailure) => Promise<Failure | null> {
  const retries = createCallRetries(context)
  return async (fault) => {
    const retry = retries.after(fault)
    if (retry === null) return isTooLong(fault) ? stillTooLong : toFailure(fault)
    await waitForRetry(context, { turnId, failure: fault, ...retry })
    return null
  }
}

export function isTooLong({ code }: ModelFailure): boolean {
  return code === 'contextTooLong'
}

/** Resolves to how the request ended. Calls of the model are not carried out. */
async function streamOnce(context: ModelContext, summarised: Summarised): Promise<SummaryEnd> {
  const {
    record: { conversation, redaction, clock },
    model,
    signal,
  } = context
  const { turnId, item, entries } = summarised
  if (entries.length === 0) return { kind: 'failed', failure: stillTooLong }
  const { client, choice, factsOf } = model.current()
  const request = summaryRequest(context, summarised)
  const redacted = redaction.stream()
  const write = createDeltaWriter(conversation, item.id)
  const deltas = createCoalescer(clock, (text) => write(redacted.push(text)))
  try {
    return await readSummary(client.stream(request, signal), {
      onText: deltas.push,
      onUsage(usage) {
        write(redacted.push(deltas.stop()) + redacted.end())
        const counts = counted(usage, factsOf(request.model))
        const by = { ...choice, model: request.model }
        conversation.record({ type: 'usage.updated', turnId, counts, by, purpose: 'compaction' })
      },
    })
  } finally {
    deltas.stop()
  }
}

/** Returns the model that writes summaries, of the provider that makes the next call. */
export function summaryModel({ current, compaction }: ModelRole): {
  readonly name: string
  readonly isOther: boolean
  readonly facts: ModelFacts
} {
  const { choice, factsOf } = current()
  const name = compaction.model ?? choice.model
  return { name, isOther: name !== choice.model, facts: factsOf(name) }
}

/**
 * Returns the request for a summary. It begins with the bytes of the conversation's last one, so that the provider reads
 * them from its cache; another model gets no reasoning, effort or output limit of the first.
 */
function summaryRequest({ model }: ModelContext, { item, entries }: Summarised): ModelRequest {
  const asked = summaryPrompt(model.compaction.prompt, item.instructions ?? null)
  return requestWith(model, entries, asked)
}

/** Returns a request for a summary: the entries, then the prompt `asked`. */
export function requestWith(model: ModelRole, entries: readonly ModelEntry[], asked: ModelEntry): ModelRequest {
  const { outputSchema: _, ...base } = model.requests.next()
  const { name, isOther, facts } = summaryModel(model)
  const readable = readableEntries(entries, facts)
  if (!isOther) return { ...base, entries: [...readable, asked] }
  const { effort: __, maxOutputTokens: ___, ...plain } = base
  const most = model.current().maxOutputOf(name)
  const foreign = readable.map((entry) =>
    entry.kind === 'response' ? { ...entry, adapter: 'none', parts: [] } : entry,
  )
  const limit = most === undefined ? {} : { maxOutputTokens: most }
  return { ...plain, model: name, ...limit, entries: [...foreign, asked] }
}
