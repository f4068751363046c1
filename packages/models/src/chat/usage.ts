import { type JsonRecord, numberAt, recordAt } from '../json-values.ts'
import type { TokenUsage } from '../port.ts'

/** Read by hand: each server has its own idea of which of these exist, and none of them may fail an answer. */
export function readUsage(usage: JsonRecord): TokenUsage {
  const prompt = recordAt(usage, 'prompt_tokens_details')
  const completion = recordAt(usage, 'completion_tokens_details')
  const cached = prompt === undefined ? undefined : numberAt(prompt, 'cached_tokens')
  return {
    inputTokens: numberAt(usage, 'prompt_tokens') ?? 0,
    cachedInputTokens: cached ?? numberAt(usage, 'prompt_cache_hit_tokens') ?? 0,
    outputTokens: numberAt(usage, 'completion_tokens') ?? 0,
    reasoningTokens: (completion === undefined ? undefined : numberAt(completion, 'reasoning_tokens')) ?? 0,
  }
}
