import type { TokenUsage } from '../port/model-client.ts'
import type { Price } from './model-facts.ts'

const perMillion = 1_000_000
/** Parts of a dollar that sums keep exactly. */
const nano = 1_000_000_000

/** Returns the cost of one call in US dollars, to the billionth. */
export function costOf(usage: TokenUsage, price: Price): number {
  const { inputTokens, cachedInputTokens, cacheWriteTokens = 0, outputTokens } = usage
  const { long } = price
  const prices = long !== undefined && inputTokens > long.overTokens ? long.prices : price
  const { input, cachedInput = input, cacheWrite = input, output } = prices
  const fresh = Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens)
  const dollars =
    (fresh * input + cachedInputTokens * cachedInput + cacheWriteTokens * cacheWrite + outputTokens * output) /
    perMillion
  return Math.round(dollars * nano) / nano
}
