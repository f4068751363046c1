import { askedWaitText, type ModelFailure } from '@parley/models'
import { type ConversationEvent, type Failure, modelInUse, type TurnId } from '@parley/protocol'
import { asSentence } from '@parley/text'
import { EnvironmentUnreachableError } from '@parley/workspace'
import { askToCompact } from '../compaction/compaction-item.ts'
import { noticeItem } from '../conversation/notices.ts'
import { nextModel } from '../core/fallback-model.ts'
import { createCallRetries, waitForRetry } from '../model-calls/call-retries.ts'
import { toFailure } from '../model-calls/refusal.ts'
import type { ModelContext, RecordRole, TurnContext } from '../roles/roles.ts'
import { unlessAborted } from '../tools/contract/tool.ts'
import { createResponseRecorder } from './response-recorder.ts'

/** Context of a response of the model, with the tools that its calls name. */
type ResponseContext = ModelContext & Pick<TurnContext, 'act'>

/**
 * Streams one model response with its retries. Resolves to the failure that ends the turn; to null when the response is
 * logged, or on abort with the received text kept.
 */
export async function callModel(context: ResponseContext): Promise<Failure | null> {
  const {
    record: { conversation },
    signal,
  } = context
  const turnId = conversation.state.core.turn?.id
  if (turnId === undefined) return null
  const retries = createCallRetries(context)
  for (;;) {
    const unprepared = await prepare(context)
    if (signal.aborted) return null
    if (unprepared !== null) return unprepared
    const failure = await streamOnce(context, turnId, retries.attempt)
    if (failure === null || leavesCall(context, turnId, failure)) return null
    const retry = retries.after(failure)
    if (retry !== null) {
      await waitForRetry(context, { turnId, failure, ...retry })
    } else {
      const last = withAskedWait(failure)
      if (!fallBack(context, turnId, last)) return context.model.retry.failureOfCall(last)
      retries.startAnew()
    }
    if (signal.aborted) return null
  }
}

function withAskedWait(failure: ModelFailure): ModelFailure {
  const asked = askedWaitText(failure)
  return asked === '' ? failure : { ...failure, message: asSentence(failure.message) + asked }
}

/** Tells if the call ends without a failure of the turn: it was stopped, or is repeated after a compaction. */
function leavesCall(context: ModelContext, turnId: TurnId, { code }: ModelFailure): boolean {
  return context.signal.aborted || (code === 'contextTooLong' && askToCompact(context, turnId))
}

/** Hands the call over to the next of `fallback_models`. Returns false when no model takes over after this failure. */
function fallBack(
  { record: { conversation, ids }, model: { retry } }: ModelContext,
  turnId: TurnId,
  failure: ModelFailure,
): boolean {
  const { core } = conversation.state
  const next = nextModel(core, retry.fallbacks, failure)
  if (next === null) return false
  const { model } = modelInUse(core)
  const title = `${asSentence(failure.message)} ${next.model} of ${next.modelProvider} goes on in place of ${model} until this turn ends.`
  const item = noticeItem(ids.item(), { level: 'warning', code: 'modelFallback', title })
  conversation.recordAll([
    { type: 'model.fellBack', turnId, ...next, failure: toFailure(failure) },
    { type: 'item.completed', turnId, item },
  ])
  return true
}

/** Prepares the context of the request; resolves to a failure when the environment is unreachable. */
async function prepare({ model, signal }: ModelContext): Promise<Failure | null> {
  try {
    await unlessAborted(model.requests.prepare(signal), signal)
    return null
  } catch (error) {
    if (!(error instanceof EnvironmentUnreachableError)) throw error
    return { code: 'environmentUnreachable', message: error.message }
  }
}

const noEnd: ModelFailure = {
  code: 'streamCut',
  message: 'The answer ended without saying that it was complete.',
  retry: 'short',
}

const tooLarge: ModelFailure = {
  code: 'responseTooLarge',
  message: 'The answer grew beyond 4 MiB and was stopped. Ask for it in parts.',
  retry: 'never',
}

/** Resolves to the model's failure, or null when it completed or was aborted. */
async function streamOnce(context: ResponseContext, turnId: TurnId, attempt: number): Promise<ModelFailure | null> {
  const {
    record: { conversation },
    model,
    signal,
  } = context
  discardOpen(context.record, turnId, 'The answer could not be saved whole.')
  conversation.record({ type: 'model.requested', turnId, attempt, request: model.requests.hash() })
  const source = model.current()
  const recorder = createResponseRecorder(context, turnId, source)
  let end: ModelFailure | 'kept' = noEnd
  try {
    for await (const event of source.client.stream(model.requests.next(), signal)) {
      if (event.type === 'failed') end = event.failure
      // A handed-over turn: the next server discards the items of a response that has begun.
      else if (event.type === 'aborted') signal.reason === 'handOver' || recorder.keep()
      else if (event.type === 'picture' || event.type === 'pictureText') await recorder.takePicture(event)
      else recorder.take(event)
      if (event.type === 'aborted' || event.type === 'completed') end = 'kept'
      else if (recorder.isTooLarge()) {
        end = tooLarge
        break
      }
    }
  } finally {
    recorder.stop()
  }
  if (end === 'kept') return null
  discardOpen(context.record, turnId, end.message)
  return end
}

/** Discards the open items of the turn: before a request they belong to an incomplete response. */
function discardOpen({ conversation }: RecordRole, turnId: TurnId, reason: string): void {
  const open = Object.values(conversation.state.core.open).filter(
    // A compaction that was asked for meanwhile waits for the response.
    ({ item, turnId: of }) => of === turnId && item.type !== 'contextCompaction',
  )
  conversation.recordAll(
    open.map(({ item }): ConversationEvent => ({ type: 'item.discarded', itemId: item.id, reason })),
  )
}
