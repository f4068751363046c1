import { askedWaitText, type ModelFailure, planRetry } from '@parley/models'
import { type ConversationEvent, type Failure, modelInUse, type TurnId } from '@parley/protocol'
import { asSentence } from '@parley/text'
import { EnvironmentUnreachableError } from '@parley/workspace'
import { nextModel } from '../../core/fallback-model.ts'
import { unlessAborted } from '../../tools/tool.ts'
import { askToCompact } from '../compaction/compaction-item.ts'
import { noticeItem } from '../conversation/notices.ts'
import { createResponseRecorder } from './response-recorder.ts'
import type { TurnContext } from './turn-context.ts'

/**
 * Streams one model response with its retries. Resolves to the failure that ends the turn; to null when the response is
 * logged, or on abort with the received text kept.
 */
export async function callModel(context: TurnContext): Promise<Failure | null> {
  const { conversation, modules, signal } = context
  const turnId = conversation.state.core.turn?.id
  if (turnId === undefined) return null
  let failures: ModelFailure[] = []
  let firstFailureMs = 0
  for (;;) {
    const unprepared = await prepare(context)
    if (signal.aborted) return null
    if (unprepared !== null) return unprepared
    const failure = await streamOnce(context, turnId, failures.length + 1)
    if (failure === null || leavesCall(context, turnId, failure)) return null
    if (failures.length === 0) firstFailureMs = modules.clock.elapsed()
    failures.push(failure)
    const retry = nextRetry(context, failures, modules.clock.elapsed() - firstFailureMs)
    if (retry !== null) {
      await waitForRetry(context, { turnId, failure, ...retry })
    } else {
      const last = withAskedWait(failure)
      if (!fallBack(context, turnId, last)) return toFailure(last)
      failures = []
    }
    if (signal.aborted) return null
  }
}

function withAskedWait(failure: ModelFailure): ModelFailure {
  const asked = askedWaitText(failure)
  return asked === '' ? failure : { ...failure, message: asSentence(failure.message) + asked }
}

/** Tells if the call ends without a failure of the turn: it was stopped, or is repeated after a compaction. */
function leavesCall(context: TurnContext, turnId: TurnId, { code }: ModelFailure): boolean {
  return context.signal.aborted || (code === 'contextTooLong' && askToCompact(context, turnId))
}

interface PlannedRetry {
  readonly turnId: TurnId
  readonly failure: ModelFailure
  readonly delayMs: number
  readonly attempt: number
  /** Number of the last attempt, if all fail in this way. */
  readonly attempts: number
}

/** Announces a retry and waits for it. */
export async function waitForRetry(
  { conversation, modules, signal }: TurnContext,
  planned: PlannedRetry,
): Promise<void> {
  const { turnId, failure: cause, delayMs, attempt, attempts } = planned
  const asked = cause.retryAfterMs === undefined ? {} : { asked: true as const }
  const retryAt = modules.clock.now() + delayMs
  const failure = toFailure(cause)
  conversation.record({ type: 'retry.scheduled', turnId, retryAt, attempt, attempts, failure, ...asked })
  await modules.retryWait.sleep(delayMs, signal)
}

/** Hands the call over to the next of `fallback_models`; false when there is none for this failure. */
function fallBack({ conversation, modules }: TurnContext, turnId: TurnId, failure: ModelFailure): boolean {
  const { core } = conversation.state
  const next = nextModel(core, modules.fallbacks, failure)
  if (next === null) return false
  const { model } = modelInUse(core)
  const title = `${asSentence(failure.message)} ${next.model} of ${next.modelProvider} goes on in place of ${model} until this turn ends.`
  const item = noticeItem(modules.ids.item(), { level: 'warning', code: 'modelFallback', title })
  conversation.recordAll([
    { type: 'model.fellBack', turnId, ...next, failure: toFailure(failure) },
    { type: 'item.completed', turnId, item },
  ])
  return true
}

/** Prepares the context of the request; resolves to a failure when the environment is unreachable. */
async function prepare({ modules, signal }: TurnContext): Promise<Failure | null> {
  try {
    await unlessAborted(modules.requests.prepare(signal), signal)
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
async function streamOnce(context: TurnContext, turnId: TurnId, attempt: number): Promise<ModelFailure | null> {
  const { conversation, modules, signal } = context
  discardOpen(context, turnId, 'The answer could not be saved whole.')
  conversation.record({ type: 'model.requested', turnId, attempt, request: modules.requests.hash() })
  const source = modules.model()
  const recorder = createResponseRecorder(context, turnId, source)
  let end: ModelFailure | 'kept' = noEnd
  try {
    for await (const event of source.client.stream(modules.requests.next(), signal)) {
      if (event.type === 'failed') end = event.failure
      // What a response has begun is discarded by the server that goes on.
      else if (event.type === 'aborted') signal.reason === 'handOver' || recorder.keep()
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
  discardOpen(context, turnId, end.message)
  return end
}

/** Discards the open items of the turn: before a request they belong to an incomplete response. */
function discardOpen({ conversation }: TurnContext, turnId: TurnId, reason: string): void {
  const open = Object.values(conversation.state.core.open).filter(
    // A compaction that was asked for meanwhile waits for the response.
    ({ item, turnId: of }) => of === turnId && item.type !== 'contextCompaction',
  )
  conversation.recordAll(
    open.map(({ item }): ConversationEvent => ({ type: 'item.discarded', itemId: item.id, reason })),
  )
}

type NextRetry = Pick<PlannedRetry, 'delayMs' | 'attempt' | 'attempts'>

/** Returns when the call is tried again, and how often at most; null where it is not. */
export function nextRetry(
  { modules }: TurnContext,
  failures: readonly ModelFailure[],
  elapsedMs: number,
): NextRetry | null {
  const { limits } = modules.model()
  const plan = planRetry({ failures, limits, random: modules.random(), elapsedMs })
  if (plan.type !== 'retry') return null
  const attempt = failures.length + 1
  return { delayMs: plan.delayMs, attempt, attempts: attempt + plan.maxAttempts - plan.attempt }
}

export function toFailure({ code, message, status }: ModelFailure): Failure {
  return { code, message, ...(status === undefined ? {} : { status }) }
}
