import type { Config } from '@parley/config'

/** Keys of the configuration about compaction; null where they are not set. */
export interface CompactionSettings {
  /** Tokens of a request from which on it is compacted. */
  readonly limit: number | null
  /** Percent of the window from which on it is compacted where `limit` is null. */
  readonly percent: number
  /** Model of the same provider that writes the summary, in place of the conversation's. */
  readonly model: string | null
  readonly prompt: string | null
}

export function compactionSettings(config: Config): CompactionSettings {
  const { model_auto_compact_token_limit: limit, model_auto_compact_percent: percent } = config
  const { compact_model: model, compact_prompt: prompt } = config
  return { limit: limit ?? null, percent: percent ?? 80, model: model ?? null, prompt: prompt ?? null }
}
