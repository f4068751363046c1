import { costOf, type ModelEvent, type ModelFacts, type TokenUsage } from '@parley/models'
import type { TokenCounts } from '@parley/protocol'
import { jsonBytes } from '../replies/wire-limits.ts'

/** Size of a response while it streams. */
interface ResponseSize {
  add(event: ModelEvent): void
  /** Returns the JSON bytes so far, arguments included that are still being written. */
  bytes(): number
}

export function createResponseSize(): ResponseSize {
  const unfinished = new Map<string, number>()
  let total = 0
  return {
    bytes: () => total,
    add(event) {
      if (event.type === 'textDelta' || event.type === 'reasoningDelta') total += jsonBytes(event.text)
      if (event.type !== 'callDelta' && event.type !== 'call') return
      const bytes = event.type === 'call' ? jsonBytes(event.arguments) : event.argumentBytes
      total += bytes - (unfinished.get(event.part) ?? 0)
      unfinished.set(event.part, bytes)
    },
  }
}

/** Returns the tokens of a call with its cost, which is computed once: prices change. */
export function counted(usage: TokenUsage, { price }: ModelFacts): TokenCounts {
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, reasoningTokens } = usage
  const whole: TokenUsage = {
    inputTokens: wholeCount(inputTokens),
    cachedInputTokens: wholeCount(cachedInputTokens),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens: wholeCount(cacheWriteTokens) }),
    outputTokens: wholeCount(outputTokens),
    reasoningTokens: wholeCount(reasoningTokens),
  }
  return price === null ? whole : { ...whole, costUsd: Math.max(0, costOf(whole, price)) }
}

/** Far above the tokens of a call; sums stay exact. */
const mostTokens = 1_000_000_000_000

/** Returns a count that a provider gave as the log takes it: some servers send fractions, negative or huge numbers. */
function wholeCount(count: number): number {
  return Number.isFinite(count) ? Math.min(Math.max(0, Math.round(count)), mostTokens) : 0
}
