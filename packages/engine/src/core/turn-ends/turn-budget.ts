import type { Failure, Turn } from '@parley/protocol'
import { countedNoun } from '@parley/text'

/** Number of responses in a row that a provider may pause; with more of them a turn might never end. */
const mostPauses = 20

const unpriced = 'Stopped: the price of a call is not known, so its cost cannot be held to a limit.'

/** Returns the failure of a turn that has used up its budget; null while another model call may begin. */
export function usedUp({ budget, responses = 0, usage, paused = 0 }: Turn): Failure | null {
  if (paused >= mostPauses)
    return { code: 'pausedTooOften', message: `Stopped: the provider paused its answer ${paused} times in a row.` }
  if (budget === undefined) return null
  const { modelCalls, tokens, costUsd } = budget
  const used = usage.inputTokens + usage.outputTokens
  if (modelCalls !== undefined && responses >= modelCalls)
    return { code: 'maxTurns', message: `Stopped: ${countedNoun(modelCalls, 'call')} of the model were allowed.` }
  if (tokens !== undefined && used >= tokens)
    return { code: 'maxTokens', message: `Stopped: ${used} tokens are used, ${tokens} were allowed.` }
  if (costUsd === undefined || used === 0) return null
  if (usage.costUsd === undefined || usage.isPartCost === true) return { code: 'maxCost', message: unpriced }
  if (usage.costUsd < costUsd) return null
  return { code: 'maxCost', message: `Stopped: $${usage.costUsd} are spent, $${costUsd} were allowed.` }
}
