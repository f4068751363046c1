import { type ModelFailure, planNetworkWait, planRetry } from '@parley/models'
import type { TurnId } from '@parley/protocol'
import { nextModel } from '../core/fallback-model.ts'
import type { ModelContext } from '../roles/roles.ts'
import { toFailure } from './refusal.ts'

interface NextRetry {
  readonly delayMs: number
  /** Number of the next attempt. */
  readonly attempt: number
  /** Number of the last attempt, if all fail in this way; left out where time alone limits them. */
  readonly attempts?: number
  /** Set where it waits for the network. */
  readonly network?: true
}

/** Failures of one model call, and when it is tried again. */
export interface CallRetries {
  /** Number of the attempt that comes next. */
  readonly attempt: number
  /** Notes a failure. Returns when the call is tried again; null where it is not. */
  after(failure: ModelFailure): NextRetry | null
  /** Forgets the failures: another model makes the call. */
  startAnew(): void
}

/**
 * Creates the retries of one call. A provider that is out of reach is tried for as long as the patience for the network
 * lasts, unless another model can take over.
 */
export function createCallRetries(context: ModelContext): CallRetries {
  const { clock } = context.record
  let failures: ModelFailure[] = []
  let firstMs = 0
  /** Tries in a row that did not reach the provider, and the time of the first of them. */
  let away = { tries: 0, sinceMs: 0 }

  function note(failure: ModelFailure): void {
    if (failures.length === 0) firstMs = clock.elapsed()
    failures.push(failure)
    if (failure.network !== true) away = { tries: 0, sinceMs: 0 }
    else away = { tries: away.tries + 1, sinceMs: away.tries === 0 ? clock.elapsed() : away.sinceMs }
  }

  return {
    get attempt() {
      return failures.length + 1
    },
    after(failure) {
      note(failure)
      const attempt = failures.length + 1
      const patienceMs = failure.network === true ? patienceFor(context, failure) : 0
      if (patienceMs === 0) return usualRetry(context, failures, clock.elapsed() - firstMs)
      const { tries, sinceMs } = away
      const elapsedMs = clock.elapsed() - sinceMs
      const delayMs = planNetworkWait({ tries, random: context.model.retry.random(), elapsedMs, patienceMs })
      return delayMs === null ? null : { delayMs, attempt, network: true }
    },
    startAnew() {
      failures = []
      away = { tries: 0, sinceMs: 0 }
    },
  }
}

function patienceFor({ record: { conversation }, model }: ModelContext, failure: ModelFailure): number {
  const other = nextModel(conversation.state.core, model.retry.fallbacks, { ...failure, retry: 'short' })
  return other === null ? model.retry.networkPatienceMs() : 0
}

function usualRetry({ model }: ModelContext, failures: readonly ModelFailure[], elapsedMs: number): NextRetry | null {
  const { limits } = model.current()
  const plan = planRetry({ failures, limits, random: model.retry.random(), elapsedMs })
  if (plan.type !== 'retry') return null
  const attempt = failures.length + 1
  return { delayMs: plan.delayMs, attempt, attempts: attempt + plan.maxAttempts - plan.attempt }
}

interface PlannedRetry extends NextRetry {
  readonly turnId: TurnId
  readonly failure: ModelFailure
}

/** Announces a retry and waits for it. */
export async function waitForRetry(
  { record: { conversation, clock }, model, signal }: ModelContext,
  planned: PlannedRetry,
): Promise<void> {
  const { turnId, failure: cause, delayMs, attempt, attempts, network } = planned
  const retryAt = clock.now() + delayMs
  conversation.record({
    type: 'retry.scheduled',
    turnId,
    retryAt,
    attempt,
    ...(attempts === undefined ? {} : { attempts }),
    failure: toFailure(cause),
    ...(cause.retryAfterMs === undefined ? {} : { asked: true }),
    ...(network === undefined ? {} : { network }),
  })
  await model.retry.wait.sleep(delayMs, signal)
}
