import type { ModelClient, ModelEvent, ModelFacts, ModelFailure } from '@parley/models'
import type { ConversationEvent, EventOf, Failure, Item, ItemId, TokenCounts } from '@parley/protocol'
import type { SideFiles } from '../../conversation/side-files.ts'
import { toFailure } from '../../model-calls/refusal.ts'
import type { Clock } from '../../ports/clock-and-ids.ts'
import type { ModelRetry } from '../../roles/roles.ts'
import { createRetryWait } from '../../session/retry-wait.ts'
import type { ModelSource } from '../../settings/model-sources.ts'
import { turnEndAfter } from '../log/outside-events.ts'
import { eventsFrom, type RecordedEvent, type Recording } from '../log/read-recording.ts'
import type { ReplayWait } from '../log/replay-wait.ts'
import type { ReplayPosition } from '../log/replayed-log.ts'

/** Failures that count as attempts of a broken answer, not of a request. */
const brokenOff: ReadonlySet<string> = new Set(['streamCut', 'idleTimeout', 'malformedStream'])

type Price = NonNullable<ModelFacts['price']>

interface ModelParts {
  readonly wait: ReplayWait
  /** Tells if the next event of the log is the engine's own. */
  readonly isOurs: () => boolean
  /** Reads pictures that the model made. */
  readonly sideFiles: Pick<SideFiles, 'readBase64'>
}

/** Creates the model of a replay, which answers from the log at its position. */
export function createReplayedModel(log: ReplayPosition, { wait, isOurs, sideFiles }: ModelParts): ModelSource {
  /** Codes of the failures since the last whole answer, which number the attempts. */
  const failed: string[] = []
  const limits = () => retriesAt(log.next?.event, failed)

  async function* stream(signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const parts = new Map<ItemId, ItemId>()
    if (isHandedOver(log)) failed.length = 0
    for (;;) {
      const said = await wait.until(() => (isOurs() ? spokenAt(log, { parts, sideFiles }) : null), signal)
      if (said === null) {
        yield { type: 'aborted' }
        return
      }
      const place = log.at
      yield* said
      const [last] = said.slice(-1)
      if (last?.type === 'failed') failed.push(last.failure.code)
      if (last?.type === 'completed') failed.length = 0
      if (last?.type === 'failed' || last?.type === 'completed') return
      // Waits until the engine has recorded these events.
      await wait.until(() => (log.at === place ? null : true), signal)
    }
  }

  const client: ModelClient = {
    get adapter() {
      return adapterAt(log)
    },
    stream: (_request, signal) => stream(signal),
    listModels: () => Promise.resolve({ type: 'unlisted' }),
  }
  return {
    client,
    get limits() {
      return limits()
    },
    factsOf: () => ({
      contextWindow: windowAt(log),
      outputLimit: null,
      price: priceAt(log),
      images: true,
      reasoning: true,
      toolShape: 'edit',
    }),
    maxOutputOf: () => undefined,
  }
}

/** Tells if another model has taken over right before this request. */
function isHandedOver({ events, at }: ReplayPosition): boolean {
  return events.slice(Math.max(0, at - 4), at).some(({ event }) => event.type === 'model.fellBack')
}

function ahead<Type extends ConversationEvent['type']>(log: ReplayPosition, type: Type): EventOf<Type> | null {
  for (const event of eventsFrom(log)) {
    if (event.type === type) return event as EventOf<Type> // narrowed: by its type
    if (event.type === 'conversation.recovered') return null
  }
  return null
}

function adapterAt(log: ReplayPosition): string {
  return ahead(log, 'model.responded')?.adapter ?? 'none'
}

function windowAt(log: ReplayPosition): number | null {
  for (const event of eventsFrom(log)) {
    if (event.type === 'usage.updated' && event.purpose === undefined) return event.contextWindow ?? null
  }
  return null
}

/** Returns prices at which the next call has the cost of the log, since a log holds no prices. */
function priceAt(log: ReplayPosition): Price | null {
  const counts = ahead(log, 'usage.updated')?.counts
  if (counts?.costUsd === undefined) return null
  const tokens = counts.inputTokens + counts.outputTokens
  const price = tokens === 0 ? 0 : (counts.costUsd * 1e6) / tokens
  return { input: price, output: price }
}

/** Returns limits under which the engine plans the retry that the log has next. */
function retriesAt(event: ConversationEvent | undefined, failed: readonly string[]): ModelSource['limits'] {
  if (event?.type !== 'retry.scheduled') return { requestMaxRetries: 0, streamMaxRetries: 0 }
  const isBroken = brokenOff.has(failed.at(-1) ?? '')
  const attempt = failed.filter((code) => brokenOff.has(code) === isBroken).length
  const most = (event.attempts ?? event.attempt) - event.attempt + attempt
  return { requestMaxRetries: most, streamMaxRetries: most, shortBudgetMs: Infinity, longBudgetMs: Infinity }
}

interface Spoken extends Pick<ModelParts, 'sideFiles'> {
  /** Parts of the response so far. */
  readonly parts: Map<ItemId, ItemId>
}

/** Returns the model's events at the position of the log; null while another event comes first. */
function spokenAt(log: ReplayPosition, { parts, sideFiles }: Spoken): readonly ModelEvent[] | null {
  const { next } = log
  if (next === undefined) return null
  const { event } = next
  switch (event.type) {
    case 'item.started':
      return pictured(event.item, { parts, sideFiles }) ?? begun(log, next, parts)
    case 'item.completed':
      return ended(log, event.item, parts)
    case 'usage.updated':
    case 'model.responded':
      return whole(log, parts)
    case 'item.discarded':
    case 'retry.scheduled':
    case 'model.fellBack':
      return failure(log)
    default:
      return null
  }
}

/** Returns the picture that an item is about, its text where no bytes are kept; null for any other item. */
function pictured(item: Item, { parts, sideFiles }: Spoken): readonly ModelEvent[] | null {
  if (item.type !== 'agentMessage' || item.images === undefined) return null
  parts.set(item.id, item.id)
  const [image] = item.images
  const base64 = image === undefined ? null : sideFiles.readBase64(image.file)
  if (image === undefined || base64 === null) return [{ type: 'pictureText', part: item.id, text: item.text }]
  return [{ type: 'picture', part: item.id, mediaType: image.mediaType, base64 }]
}

function begun(log: ReplayPosition, { event, streamed }: RecordedEvent, parts: Map<ItemId, ItemId>) {
  if (event.type !== 'item.started') return null
  const { item } = event
  if (item.type === 'agentMessage' || item.type === 'reasoning') {
    parts.set(item.id, item.id)
    const raw = item.type === 'reasoning' && item.raw === true ? ({ raw: true } as const) : {}
    const kind = item.type === 'agentMessage' ? 'text' : 'reasoning'
    if (item.text !== '') return [{ type: `${kind}Done` as const, part: item.id, text: item.text, ...raw }]
    // A text that was held back as a possible secret was never shown: its end has it.
    const text = streamed === '' ? finalText(log, item.id) || ' ' : streamed
    return [{ type: `${kind}Delta` as const, part: item.id, text, ...raw }]
  }
  if (item.type === 'contextCompaction') return failure(log)
  if (item.type === 'commandExecution' || item.type === 'fileChange' || item.type === 'toolCall') {
    const call = ahead(log, 'model.responded')?.calls.find(({ itemId }) => itemId === item.id)
    const { callId, name, arguments: text } = call ?? callOfItem(item)
    return [{ type: 'call' as const, part: item.id, callId, name, arguments: text }]
  }
  return null
}

/** Returns a call of an answer that broke off: its exact form is in no log. */
function callOfItem(item: Extract<Item, { type: 'commandExecution' | 'fileChange' | 'toolCall' }>) {
  const text =
    item.type === 'toolCall'
      ? item.input
      : JSON.stringify(item.type === 'commandExecution' ? { command: item.text } : { input: item.text })
  return { callId: item.id, name: item.tool, arguments: text }
}

function finalText(log: ReplayPosition, itemId: ItemId): string | null {
  for (const event of eventsFrom(log)) {
    if (event.type === 'item.completed' && event.item.id === itemId) return event.item.text
  }
  return null
}

function ended(log: ReplayPosition, item: Item, parts: ReadonlyMap<ItemId, ItemId>): readonly ModelEvent[] | null {
  if (parts.has(item.id) && item.status === 'completed') {
    if (item.type === 'agentMessage') return whole(log, parts)
    const raw = item.type === 'reasoning' && item.raw === true ? ({ raw: true } as const) : {}
    return [{ type: 'reasoningDone', part: item.id, text: item.text, ...raw }]
  }
  // The end of a failed turn, with its open items; the end of an interrupted turn comes with the signal.
  const isEnd = item.type === 'notice' ? item.level === 'error' : item.status === 'interrupted'
  return isEnd ? failure(log) : null
}

/** Returns the end of a whole response with the texts of its messages, also when a fork cut its write. */
function whole(log: ReplayPosition, parts: ReadonlyMap<ItemId, ItemId>): readonly ModelEvent[] | null {
  const events: ModelEvent[] = []
  const ahead = eventsFrom(log)
  for (const event of ahead) {
    if (event.type === 'item.completed' && parts.has(event.item.id)) {
      const { id: part, text, type } = event.item
      events.push(type === 'reasoning' ? { type: 'reasoningDone', part, text } : { type: 'textDone', part, text })
    } else if (event.type === 'usage.updated' || event.type === 'model.responded') {
      const two = [event, ahead.next().value]
      const usage = two.find((one) => one?.type === 'usage.updated') ?? null
      return [...events, completed(usage, two.find((one) => one?.type === 'model.responded') ?? null)]
    } else return null
  }
  return null
}

function completed(usage: EventOf<'usage.updated'> | null, response: EventOf<'model.responded'> | null): ModelEvent {
  const zero = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 }
  const { costUsd: _cost, isPartCost: _part, ...counts }: TokenCounts = usage?.counts ?? zero
  const why = usage?.stopWords === undefined ? {} : { why: usage.stopWords }
  return { type: 'completed', parts: response?.parts ?? [], usage: counts, stop: stopOf(usage), ...why }
}

function stopOf(usage: EventOf<'usage.updated'> | null): Extract<ModelEvent, { type: 'completed' }>['stop'] {
  if (usage?.paused === true) return 'paused'
  if (usage?.stopReason === 'outputLimit') return 'length'
  if (usage?.stopReason === 'filtered') return 'filter'
  return usage?.stopReason === 'context' ? 'context' : 'stop'
}

/** Returns the failure that the log shows by what follows it. */
function failure(log: ReplayPosition): readonly ModelEvent[] | null {
  for (const event of eventsFrom(log)) {
    if (event.type === 'retry.scheduled') return [failed(event.failure, 'short', event)]
    if (event.type === 'model.fellBack') return [failed(event.failure, 'short')]
    if (event.type === 'turn.ended') return event.failure === undefined ? null : [failed(event.failure, 'never')]
    if (event.type === 'item.started' && event.item.type === 'contextCompaction')
      return [failed({ code: 'contextTooLong', message: 'The request is too long.' }, 'never')]
    if (event.type !== 'item.discarded' && event.type !== 'item.completed') return null
  }
  return null
}

type Scheduled = Pick<EventOf<'retry.scheduled'>, 'asked' | 'network'>

function failed(
  { code, message, fault, status }: Failure,
  retry: ModelFailure['retry'],
  { asked, network }: Scheduled = {},
): ModelEvent {
  return {
    type: 'failed',
    failure: {
      code: code as ModelFailure['code'], // narrowed: the engine took it from a failure of this kind
      message,
      retry,
      ...(fault === undefined ? {} : { fault }),
      ...(status === undefined ? {} : { status }),
      ...(asked === undefined ? {} : { retryAfterMs: 1 }),
      ...(network === undefined ? {} : { network }),
    },
  }
}

interface FailingParts {
  readonly log: ReplayPosition
  readonly recording: Recording
  readonly clock: Clock
}

/** Returns the retries of a replay: waits, failures and models that take over come from the log. */
export function replayedRetry({ log, recording, clock }: FailingParts): ModelRetry {
  return {
    get fallbacks() {
      return fallbacksAt(log)
    },
    random: () => 0,
    wait: createRetryWait(clock),
    // Failures say whether the engine waited for the network then.
    networkPatienceMs: () => Infinity,
    failureOfCall(failure: ModelFailure): Failure {
      const end = turnEndAfter(recording, log.at)?.event
      return (end?.type === 'turn.ended' ? end.failure : undefined) ?? toFailure(failure)
    },
  }
}

/** Returns the models that took over in this turn, and the one that takes over next. */
function fallbacksAt({ events, at }: ReplayPosition) {
  const begun = events.findLastIndex(({ event }, index) => index < at && event.type === 'turn.started')
  return events
    .slice(begun + 1, at + 1)
    .flatMap(({ event }) =>
      event.type === 'model.fellBack' ? [{ model: event.model, provider: event.modelProvider }] : [],
    )
}
