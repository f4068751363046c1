import type { ConversationState, TurnBudget } from '@parley/protocol'
import { describe, expect, it } from 'vitest'
import { reachedLimit } from '../../../src/core/turn-ends/conversation-limits.ts'

type Core = Pick<ConversationState['core'], 'usage' | 'limitsFrom'>

/** Three calls, 300 tokens, $1.50. */
function used(more: Partial<Core['usage']['total']> = {}, limitsFrom?: Core['limitsFrom']): Core {
  const total = {
    ...{ inputTokens: 200, cachedInputTokens: 0, outputTokens: 100, reasoningTokens: 0 },
    ...{ costUsd: 1.5, ...more },
  }
  return { usage: { total, last: null, contextWindow: null, calls: 3 }, ...(limitsFrom ? { limitsFrom } : {}) }
}

describe('a limit of a conversation', () => {
  it.each<[string, Core, TurnBudget]>([
    ['is not set', used(), {}],
    ['is not reached', used(), { modelCalls: 4, tokens: 301, costUsd: 1.51 }],
    [
      'was passed and is not reached again',
      used({}, { modelCalls: 1, tokens: 1, costUsd: 0.1 }),
      { modelCalls: 3, tokens: 300, costUsd: 1.5 },
    ],
    ['is about cost and all is local', used({ costUsd: 0 }), { costUsd: 0.01 }],
    [
      'is about cost and calls without a price were allowed',
      used({ isPartCost: true }, { unpriced: true }),
      { costUsd: 2 },
    ],
  ])('lets calls begin where it %s', (_, core, limits) => {
    expect(reachedLimit(core, limits)).toBeNull()
  })

  it('lets a call of a new conversation begin whose cost is not known yet', () => {
    const total = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 }
    expect(reachedLimit({ usage: { total, last: null, contextWindow: null } }, { costUsd: 1 })).toBeNull()
  })

  it.each<[Core, TurnBudget, string, string, RegExp]>([
    [
      used(),
      { modelCalls: 3 },
      'modelCalls',
      'maxTurns',
      /3 model calls .* max_turns .* is 3\. Going on allows 3 more calls\./,
    ],
    [
      used({}, { modelCalls: 2 }),
      { modelCalls: 1 },
      'modelCalls',
      'maxTurns',
      /is 1, by now 3\. Going on allows 1 more call\./,
    ],
    [used(), { tokens: 250 }, 'tokens', 'maxTokens', /300 tokens .* max_tokens .* is 250\. .* 250 more tokens\./],
    [used(), { costUsd: 1.5 }, 'costUsd', 'maxCost', /\$1\.5 for .* max_cost .* is \$1\.5\. .* \$1\.5 more\./],
    [used({ isPartCost: true }), { costUsd: 9 }, 'price', 'maxCost', /price of a call is not known/],
    [used({ isPartCost: true }, { unpriced: true }), { costUsd: 1 }, 'costUsd', 'maxCost', /\$1\.5 for/],
    [used({}, { costUsd: 1.3 }), { costUsd: 0.2 }, 'costUsd', 'maxCost', /is \$0\.2, by now \$1\.5\./],
  ])('%j with %j is %s', (core, limits, limit, code, words) => {
    const reached = reachedLimit(core, limits)
    expect(reached).toMatchObject({ limit, failure: { code } })
    expect(`${reached?.failure.message} ${reached?.goingOn}`).toMatch(words)
  })
})
