import type { Failure } from '@parley/protocol'
import type { ModelFailure, ModelRequest } from '../model/port.ts'
import { planRetry } from '../model/retry-plan.ts'
import type { Run } from './drive.ts'
import { ensureContext, requestOf } from './request-context.ts'
import { createResponseRecorder } from './response-recorder.ts'

/**
 * One model response, with its retries. Resolves to the failure that ends the turn, or null: the response is in the
 * log, or the signal fired and what had come is kept.
 */
export async function runModel(run: Run): Promise<Failure | null> {
  const { conversation, bench, signal } = run
  const { turn } = conversation.state.core
  if (turn === null) return null
  const turnId = turn.id
  if (turn.modelCalls === 0) await ensureContext(conversation, bench)
  const request = requestOf(conversation, bench)
  let firstFailureMs = 0
  const failures: ModelFailure[] = []
  for (;;) {
    const failure = await streamOnce(run, turnId, request, failures.length + 1)
    if (failure === null || signal.aborted) return null
    if (failures.length === 0) firstFailureMs = bench.clock.elapsed()
    failures.push(failure)
    const delayMs = retryDelay(run, failures, bench.clock.elapsed() - firstFailureMs)
    if (delayMs === null) return toFailure(failure)
    const retryAt = bench.clock.now() + delayMs
    conversation.record({
      type: 'retry.scheduled',
      turnId,
      retryAt,
      attempt: failures.length + 1,
      failure: toFailure(failure),
    })
    await bench.clock.sleep(delayMs, signal)
    if (signal.aborted) return null
  }
}

/** Resolves to the model's failure, or null when it completed or was aborted. */
async function streamOnce(
  run: Run,
  turnId: string,
  request: ModelRequest,
  attempt: number,
): Promise<ModelFailure | null> {
  const { conversation, bench, signal } = run
  conversation.record({ type: 'model.requested', turnId, attempt })
  const recorder = createResponseRecorder(run, turnId)
  for await (const event of bench.model(conversation).client.stream(request, signal)) {
    if (event.type === 'failed') {
      recorder.discard(event.failure.message)
      return event.failure
    }
    if (event.type === 'aborted') {
      recorder.interrupt()
      return null
    }
    recorder.take(event)
  }
  return null
}

function retryDelay({ bench, conversation }: Run, failures: readonly ModelFailure[], elapsedMs: number): number | null {
  const { limits } = bench.model(conversation)
  const plan = planRetry({ failures, limits, random: bench.random(), elapsedMs })
  return plan.type === 'retry' ? plan.delayMs : null
}

function toFailure({ code, message, status }: ModelFailure): Failure {
  return { code, message, ...(status === undefined ? {} : { status }) }
}
