import { describe, expect, test } from 'vitest'
import { costText, costWords, tokenWords } from '../../src/text/token-words.ts'

const counts = { inputTokens: 1200, cachedInputTokens: 0, outputTokens: 30, reasoningTokens: 0 }

describe('tokens and cost in words', () => {
  test('name cached input and reasoning where there is some', () => {
    expect(tokenWords(counts)).toBe('1,200 in, 30 out')
    expect(tokenWords({ ...counts, cachedInputTokens: 1000, reasoningTokens: 10 })).toBe(
      '1,200 in (1,000 from the cache), 30 out (10 of reasoning)',
    )
  })

  test.each([
    [0, '$0.00'],
    [0.00001, 'under $0.0001'],
    [0.0014, '$0.0014'],
    [0.042, '$0.042'],
    [12.345, '$12.35'],
    [11_695.5, '$11,695.50'],
  ])('give %d dollars as %s', (costUsd, text) => {
    expect(costText({ ...counts, costUsd })).toBe(text)
    expect(costWords({ ...counts, costUsd })).toBe(text)
  })

  test('say that a price is not known, for all calls or for some', () => {
    expect(costText(counts)).toBe('?')
    expect(costWords(counts)).toBe('? (no known price; set `price` in [models."NAME"])')
    expect(costText({ ...counts, costUsd: 1, isPartCost: true })).toBe('$1.00+?')
    expect(costWords({ ...counts, costUsd: 1, isPartCost: true })).toBe('$1.00 and calls without a known price')
  })
})
