import type { ModelEntry } from '@parley/models'
import type { Actor, ConversationEvent, ItemOf } from '@parley/protocol'
import { readSummary, type SummaryEnd, stillTooLong } from '../compaction/read-summary.ts'
import { halvings, isTooLong, requestWith } from '../compaction/write-summary.ts'
import { leftOutPrompt, newestEntries } from '../core/compaction/prompt.ts'
import { tokensOfEntry } from '../core/view/estimate.ts'
import { sumOf } from '../core/view/weigh-blocks.ts'
import { type LiveConversation, writable } from '../live/live-conversation.ts'
import { counted } from '../model-calls/response-size.ts'
import { invalidParam, rejection } from '../replies/rejection.ts'
import type { ModelRole } from '../roles/roles.ts'

type Usage = Parameters<Parameters<typeof readSummary>[1]['onUsage']>[0]

/** Longest that a summary may take, in ms. */
const patienceMs = 5 * 60_000

/**
 * Has the model summarise the part of a conversation after an event. Resolves to the events that a copy up to there
 * records at its end. Rejects where no message follows the event, while a turn is open, and with `noSummary`.
 */
export async function summariseLeftOut(
  open: LiveConversation,
  at: number,
  by: Actor,
): Promise<readonly ConversationEvent[]> {
  const { conversation, roles } = writable(open)
  const { core } = conversation.state
  if (core.turn !== null)
    throw rejection('turnInProgress', 'A turn is open. Interrupt it or let it end, then go back.', {
      turnId: core.turn.id,
    })
  const message = firstMessageAfter(conversation, at)
  if (message === null)
    throw invalidParam('summary', `No message comes after event ${at}, so there is nothing to summarise.`)
  const { text, usages, model } = await written(
    { model: roles.model, entries: conversation.view.request.entries(conversation.sideFiles) },
    message,
  )
  const { choice, factsOf } = roles.model.current()
  const item: ItemOf<'contextCompaction'> = {
    id: roles.record.ids.item(),
    type: 'contextCompaction',
    status: 'completed',
    trigger: 'manual',
    title: 'Went back to here; a summary of what was left out',
    text,
    leftOut: { from: at + 1, to: core.seq },
    by,
  }
  const before = conversation.state.window.findLast((one) => one.seq <= at && one.turnId !== null)
  const turnId = before?.turnId ?? core.lastTurn?.id ?? null
  const used = usages.flatMap((usage): ConversationEvent[] => {
    const counts = counted(usage, factsOf(model))
    const update = { type: 'usage.updated', counts, by: { ...choice, model }, purpose: 'compaction' } as const
    return turnId === null ? [] : [{ ...update, turnId }]
  })
  return [{ type: 'item.completed', item }, ...used]
}

/** Returns the first message of the user after an event, or null. */
function firstMessageAfter({ view, sideFiles }: LiveConversation['conversation'], at: number): string | null {
  const before = [...view.userTexts(at, sideFiles)].length
  const [...newestFirst] = view.userTexts(Infinity, sideFiles)
  return newestFirst.find(({ number }) => number === before + 1)?.text ?? null
}

interface SummaryRequest {
  readonly model: ModelRole
  readonly entries: readonly ModelEntry[]
}

/** Asks for the summary; a request that is too long is halved, and an empty answer is asked for once more. */
async function written({ model, entries }: SummaryRequest, message: string) {
  let shown = entries
  const counts: Usage[] = []
  let why = stillTooLong.message
  for (let asked = 0; asked <= halvings && shown.length > 0; asked++) {
    const request = requestWith(model, shown, leftOutPrompt(message))
    const end = await readSummary(model.current().client.stream(request, AbortSignal.timeout(patienceMs)), {
      onText: () => undefined,
      onUsage: (found) => void counts.push(found),
    })
    if (end.kind === 'written' && end.text !== '') return { text: end.text, usages: counts, model: request.model }
    why = whyNone(end)
    if (end.kind === 'fault' && isTooLong(end.fault)) shown = newestEntries(shown, sumOf(shown.map(tokensOfEntry)) / 2)
    else if (end.kind !== 'written') break
  }
  throw rejection('noSummary', `The model wrote no summary, and nothing was copied. ${why}`)
}

/** Returns a sentence on why a request ended without a summary. */
function whyNone(end: SummaryEnd): string {
  switch (end.kind) {
    case 'written':
      return 'It answered nothing.'
    case 'aborted':
      return 'It took over 5 minutes.'
    case 'failed':
      return end.failure.message
    case 'fault':
      return end.fault.message
  }
}
