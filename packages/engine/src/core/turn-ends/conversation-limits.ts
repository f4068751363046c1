import type { ConversationCore, Failure, LimitName, TurnBudget } from '@parley/protocol'
import { countedNoun } from '@parley/text'

/** Limit of a conversation that is reached, and what to say of it. */
export interface ReachedLimit {
  readonly limit: LimitName
  /** Failure of the turn where nobody can be asked. */
  readonly failure: Failure
  /** Consequence of going on, as a sentence for people who may decide that. */
  readonly goingOn: string
}

/** Returns the limit that lets no further model call begin; null while one may. Beyond a limit it counts anew. */
export function reachedLimit(
  { usage, limitsFrom: from = {} }: Pick<ConversationCore, 'usage' | 'limitsFrom'>,
  limits: TurnBudget,
): ReachedLimit | null {
  const { total, calls = 0 } = usage
  const tokens = total.inputTokens + total.outputTokens
  const { modelCalls: callLimit, tokens: tokenLimit, costUsd: costLimit } = limits
  if (callLimit !== undefined && calls >= callLimit + (from.modelCalls ?? 0)) {
    const what = `${countedNoun(calls, 'model call')} of this conversation, max_turns of [limits] is ${callLimit}${raised(from.modelCalls, callLimit)}`
    return reached('modelCalls', what, countedNoun(callLimit, 'more call'))
  }
  if (tokenLimit !== undefined && tokens >= tokenLimit + (from.tokens ?? 0))
    return reached(
      'tokens',
      `${tokens} tokens of this conversation, max_tokens of [limits] is ${tokenLimit}${raised(from.tokens, tokenLimit)}`,
      `${tokenLimit} more tokens`,
    )
  if (costLimit === undefined || tokens === 0) return null
  const { costUsd, isPartCost } = total
  if ((costUsd === undefined || isPartCost === true) && from.unpriced !== true)
    return reached(
      'price',
      `the price of a call is not known, so the cost cannot be held to max_cost of [limits] ($${costLimit})`,
      'calls without a known price',
    )
  if ((costUsd ?? 0) < costLimit + (from.costUsd ?? 0)) return null
  return reached(
    'costUsd',
    `$${costUsd} for this conversation, max_cost of [limits] is $${costLimit}${raised(from.costUsd, costLimit, '$')}`,
    `$${costLimit} more`,
  )
}

const codes = { modelCalls: 'maxTurns', tokens: 'maxTokens', costUsd: 'maxCost', price: 'maxCost' } as const

function reached(limit: LimitName, what: string, more: string): ReachedLimit {
  const message = `Limit reached: ${what}.`
  return { limit, failure: { code: codes[limit], message }, goingOn: `Going on allows ${more}.` }
}

/** Returns up to where a limit holds by now, where someone went on beyond it. */
function raised(from: number | undefined, limit: number, unit = ''): string {
  return from === undefined ? '' : `, by now ${unit}${Number((from + limit).toFixed(9))}`
}
