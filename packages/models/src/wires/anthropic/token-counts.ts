import { isRecord } from '@parley/text'
import type { TokenUsage } from '../../port/model-client.ts'
import { type JsonRecord, numberAt, recordAt } from '../json.ts'

/** Counts of the API: `fresh` input was neither read from the cache (`cached`) nor written to it (`written`). */
export interface TokenCounts {
  readonly fresh: number
  readonly cached: number
  readonly written: number
  readonly output: number
  readonly thinking: number
}

export const noCounts: TokenCounts = { fresh: 0, cached: 0, written: 0, output: 0, thinking: 0 }

/** Returns the counts after an event, which has all counts or only the changed ones. */
export function updatedCounts(before: TokenCounts, usage: JsonRecord | undefined): TokenCounts {
  if (usage === undefined) return before
  const details = recordAt(usage, 'output_tokens_details')
  const counted = (key: string, last: number) => {
    const own = numberAt(usage, key)
    return own === undefined ? last : own + sumOf(compactionsIn(usage), key)
  }
  return {
    fresh: counted('input_tokens', before.fresh),
    cached: counted('cache_read_input_tokens', before.cached),
    written: counted('cache_creation_input_tokens', before.written),
    output: counted('output_tokens', before.output),
    thinking: (details === undefined ? undefined : numberAt(details, 'thinking_tokens')) ?? before.thinking,
  }
}

/** Returns the requests that the provider made to compact the conversation first; its own total leaves them out. */
function compactionsIn({ iterations }: JsonRecord): readonly JsonRecord[] {
  return Array.isArray(iterations) ? iterations.filter(isRecord).filter(({ type }) => type === 'compaction') : []
}

function sumOf(records: readonly JsonRecord[], key: string): number {
  return records.reduce((sum, record) => sum + (numberAt(record, key) ?? 0), 0)
}

/** Returns usage as all wires give it: input read from the cache and written to it is input too. */
export function usageOf({ fresh, cached, written, output, thinking }: TokenCounts): TokenUsage {
  return {
    inputTokens: fresh + cached + written,
    cachedInputTokens: cached,
    ...(written === 0 ? {} : { cacheWriteTokens: written }),
    outputTokens: output,
    reasoningTokens: thinking,
  }
}
