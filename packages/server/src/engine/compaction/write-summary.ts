import { type ModelEntry, type ModelFailure, type ModelRequest, planRetry } from '@parley/models'
import type { Failure, ItemOf, TurnId } from '@parley/protocol'
import { firstBytes } from '@parley/text'
import { tokensOfEntry } from '../../core/compaction/estimate.ts'
import { newestEntries, summaryPrompt } from '../../core/compaction/prompt.ts'
import { sumOf } from '../../core/compaction/weigh-blocks.ts'
import { createCoalescer } from '../conversation/deltas.ts'
import { unlessStorageFails } from '../conversation/storage-patience.ts'
import { counted } from '../turn/response-recorder.ts'
import type { TurnContext } from '../turn/turn-context.ts'

type CompactionItem = ItemOf<'contextCompaction'>

export type Written =
  | { readonly kind: 'written'; readonly text: string }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'aborted' }

interface Summarised {
  readonly turnId: TurnId
  readonly item: CompactionItem
  /** Entries of the view that is compacted. */
  readonly entries: readonly ModelEntry[]
}

/** Times that a request for a summary is halved when the provider finds it too long. */
const halvings = 2

/** Streams a summary into its item, with the retries of a model call. A request that is too long is tried with half of it. */
export async function writeSummary(context: TurnContext, { turnId, item, entries }: Summarised): Promise<Written> {
  const { conversation, modules, signal } = context
  const failures: ModelFailure[] = []
  let shown = entries
  let halved = 0
  let firstFailureMs = 0
  for (;;) {
    conversation.record({ type: 'item.started', turnId, item: { ...item, status: 'inProgress' } })
    const end = await streamOnce(context, { turnId, item, entries: shown })
    if (typeof end === 'string') return { kind: 'written', text: firstBytes(end, maxSummaryBytes) }
    if (signal.aborted || end === null) return { kind: 'aborted' }
    if (end.code === 'contextTooLong' && halved < halvings && shown.length > 1) {
      halved++
      shown = newestEntries(shown, sumOf(shown.map(tokensOfEntry)) / 2)
      continue
    }
    if (failures.length === 0) firstFailureMs = modules.clock.elapsed()
    failures.push(end)
    const { limits } = modules.model()
    const elapsedMs = modules.clock.elapsed() - firstFailureMs
    const plan = planRetry({ failures, limits, random: modules.random(), elapsedMs })
    if (plan.type !== 'retry') return { kind: 'failed', failure: { code: end.code, message: end.message } }
    const retryAt = modules.clock.now() + plan.delayMs
    const failure = { code: end.code, message: end.message }
    conversation.record({ type: 'retry.scheduled', turnId, retryAt, attempt: failures.length + 1, failure })
    await modules.retryWait.sleep(plan.delayMs, signal)
    if (signal.aborted) return { kind: 'aborted' }
  }
}

/** Bytes of a summary; a longer one is cut, since it would defeat its purpose. */
const maxSummaryBytes = 48 * 1024

/** Resolves to the text, to a failure, or to null on abort. Calls of the model are not carried out. */
async function streamOnce(context: TurnContext, summarised: Summarised): Promise<string | ModelFailure | null> {
  const { conversation, modules, signal } = context
  const { turnId, item } = summarised
  const { client, choice, factsOf } = modules.model()
  const request = summaryRequest(context, summarised)
  const texts = new Map<string, string>()
  const redacted = modules.redaction.stream()
  const show = (text: string) => {
    if (text !== '') unlessStorageFails(() => conversation.record({ type: 'item.delta', itemId: item.id, text }))
  }
  const deltas = createCoalescer(modules.clock, (text) => show(redacted.push(text)))
  try {
    for await (const event of client.stream(request, signal)) {
      if (event.type === 'aborted') return null
      if (event.type === 'failed') return event.failure
      if (event.type === 'textDelta') {
        texts.set(event.part, (texts.get(event.part) ?? '') + event.text)
        deltas.push(event.text)
      } else if (event.type === 'textDone') texts.set(event.part, event.text)
      else if (event.type === 'completed') {
        show(redacted.push(deltas.stop()) + redacted.end())
        const counts = counted(event.usage, factsOf(request.model))
        const by = { ...choice, model: request.model }
        conversation.record({ type: 'usage.updated', turnId, counts, by, purpose: 'compaction' })
        return [...texts.values()].join('\n\n').trim()
      }
    }
    return { code: 'streamCut', message: 'The summary ended without saying that it was complete.', retry: 'short' }
  } finally {
    deltas.stop()
  }
}

/**
 * Returns the request for a summary. It begins with the bytes of the conversation's last one, so that the provider reads
 * them from its cache; another model gets no reasoning of the first.
 */
function summaryRequest({ modules }: TurnContext, { item, entries }: Summarised): ModelRequest {
  const { outputSchema: _, ...base } = modules.requests.next()
  const { model, prompt } = modules.compaction
  const asked = summaryPrompt(prompt, item.instructions ?? null)
  if (model === null || model === base.model) return { ...base, entries: [...entries, asked] }
  const foreign = entries.map((entry) => (entry.kind === 'response' ? { ...entry, adapter: 'none', parts: [] } : entry))
  return { ...base, model, entries: [...foreign, asked] }
}
