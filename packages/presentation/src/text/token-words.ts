import type { TokenCounts } from '@parley/protocol'
import { count } from './formats.ts'

/** Returns token counts in words: `1,200 in (1,000 from the cache), 30 out (10 of reasoning)`. */
export function tokenWords({ inputTokens, cachedInputTokens, outputTokens, reasoningTokens }: TokenCounts): string {
  const cached = cachedInputTokens === 0 ? '' : ` (${count(cachedInputTokens)} from the cache)`
  const reasoning = reasoningTokens === 0 ? '' : ` (${count(reasoningTokens)} of reasoning)`
  return `${count(inputTokens)} in${cached}, ${count(outputTokens)} out${reasoning}`
}

/** Returns a cost in short: `$0.42`, `$0.42+?` where a part has no known price, `?` where nothing has one. */
export function costText({ costUsd, isPartCost }: TokenCounts): string {
  if (costUsd === undefined) return '?'
  return `${dollars(costUsd)}${isPartCost === true ? '+?' : ''}`
}

/** Returns a cost, and says where calls without a known price are left out. */
export function costWords(counts: TokenCounts): string {
  const { costUsd, isPartCost } = counts
  if (costUsd === undefined) return '? (no known price; set `price` in [models."NAME"])'
  return isPartCost === true ? `${dollars(costUsd)} and calls without a known price` : dollars(costUsd)
}

/** Returns dollars with two digits after the point; with three or four for less than ten cents. */
function dollars(amount: number): string {
  if (amount > 0 && amount < 0.0001) return 'under $0.0001'
  if (amount === 0 || amount >= 0.1) {
    const [whole = '', cents = ''] = amount.toFixed(2).split('.')
    return `$${count(Number(whole))}.${cents}`
  }
  return `$${amount.toFixed(amount >= 0.01 ? 3 : 4)}`
}
