import type { ModelFailure } from '@parley/models'
import { type ConversationCore, type ModelChoice, modelInUse } from '@parley/protocol'

/** Model of `fallback_models`; without a provider it is one of the conversation's own. */
export interface Fallback {
  readonly model: string
  readonly provider?: string
}

/** Failures that no retry mends but another model may not have. */
const ofThisModel: ReadonlySet<ModelFailure['code']> = new Set(['quota', 'unknownModel'])

/**
 * Returns the model that takes a call over once its retries are used up; null when the turn fails. Models take over in
 * order, each at most once a turn; any failure of one of them hands over.
 */
export function nextModel(
  core: Pick<ConversationCore, 'settings' | 'turn'>,
  fallbacks: readonly Fallback[],
  failure: ModelFailure,
): ModelChoice | null {
  const { turn, settings } = core
  const isOther = turn?.fallback !== undefined
  if (!isOther && failure.retry === 'never' && !ofThisModel.has(failure.code)) return null
  const own = settings.modelProvider
  const choices = fallbacks.map(({ model, provider }) => ({ modelProvider: provider ?? own, model }))
  const others = choices.filter(
    (choice, at) => !isSame(choice, settings) && choices.findIndex((first) => isSame(first, choice)) === at,
  )
  const used = isOther ? others.findIndex((choice) => isSame(choice, modelInUse(core))) : -1
  if (isOther && used < 0) return null
  return others[used + 1] ?? null
}

function isSame(a: ModelChoice, b: ModelChoice): boolean {
  return a.model === b.model && a.modelProvider === b.modelProvider
}
