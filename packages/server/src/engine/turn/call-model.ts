import { type ModelFailure, planRetry } from '@parley/models'
import type { ConversationEvent, Failure, TurnId } from '@parley/protocol'
import { EnvironmentUnreachableError } from '@parley/workspace'
import { unlessAborted } from '../../tools/tool.ts'
import { askToCompact } from '../compaction/run-compaction.ts'
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
  const failures: ModelFailure[] = []
  let firstFailureMs = 0
  for (;;) {
    const unprepared = await prepare(context)
    if (signal.aborted) return null
    if (unprepared !== null) return unprepared
    const failure = await streamOnce(context, turnId, failures.length + 1)
    if (failure === null || signal.aborted) return null
    if (failure.code === 'contextTooLong' && askToCompact(context, turnId)) return null
    if (failures.length === 0) firstFailureMs = modules.clock.elapsed()
    failures.push(failure)
    const delayMs = retryDelay(context, failures, modules.clock.elapsed() - firstFailureMs)
    if (delayMs === null) return toFailure(failure)
    const retryAt = modules.clock.now() + delayMs
    const attempt = failures.length + 1
    conversation.record({ type: 'retry.scheduled', turnId, retryAt, attempt, failure: toFailure(failure) })
    await modules.clock.sleep(delayMs, signal)
    if (signal.aborted) return null
  }
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
  conversation.record({ type: 'model.requested', turnId, attempt })
  const source = modules.model()
  const recorder = createResponseRecorder(context, turnId, source)
  let end: ModelFailure | 'kept' = noEnd
  try {
    for await (const event of source.client.stream(modules.requests.next(), signal)) {
      if (event.type === 'failed') end = event.failure
      else if (event.type === 'aborted') recorder.keep()
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

function retryDelay({ modules }: TurnContext, failures: readonly ModelFailure[], elapsedMs: number): number | null {
  const { limits } = modules.model()
  const plan = planRetry({ failures, limits, random: modules.random(), elapsedMs })
  return plan.type === 'retry' ? plan.delayMs : null
}

function toFailure({ code, message, status }: ModelFailure): Failure {
  return { code, message, ...(status === undefined ? {} : { status }) }
}
