import type { TokenCounts } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { createRunBudget } from '../../src/scripted/run-budget.ts'

const counts = (inputTokens: number, costUsd = 0): TokenCounts => ({
  inputTokens,
  cachedInputTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  costUsd,
})

describe('the budget of a run', () => {
  test('is left out without limits', () => {
    expect(createRunBudget({}).rest()).toEqual({})
  })

  test('is what the turns before left', () => {
    const budget = createRunBudget({ maxTurns: 3, maxTokens: 100, maxCost: 1 })
    expect(budget.rest()).toEqual({ budget: { modelCalls: 3, tokens: 100, costUsd: 1 } })
    for (const turnId of ['t1', 't1', 'other'])
      budget.note({ type: 'usage.updated', turnId, counts: counts(10, 0.125) })
    budget.spend({ turnId: 't1', usage: counts(20, 0.25) })
    expect(budget.rest()).toEqual({ budget: { modelCalls: 1, tokens: 80, costUsd: 0.75 } })
  })

  test.each([
    [{ maxTurns: 1 }, 'maxTurns', '--max-turns'],
    [{ maxTokens: 20 }, 'maxTokens', '--max-tokens'],
    [{ maxCost: 0.25 }, 'maxCost', '--max-cost'],
  ])('ends the run where nothing is left: %j', (limits, code, flag) => {
    const budget = createRunBudget(limits)
    budget.note({ type: 'usage.updated', turnId: 't1', counts: counts(20, 0.25) })
    budget.spend({ turnId: 't1', usage: counts(20, 0.25) })
    expect(() => budget.rest()).toThrow(
      expect.objectContaining({ exitCode: 7, failure: { code, message: expect.stringContaining(flag) } }),
    )
  })
})
