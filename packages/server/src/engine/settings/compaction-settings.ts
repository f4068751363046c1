import type { Config } from '@parley/config'

/** Keys of the configuration about compaction; null where they are not set. */
export interface CompactionSettings {
  /** Tokens of a request from which on it is compacted. */
  readonly limit: number | null
  /** Model of the same provider that writes the summary, in place of the conversation's. */
  readonly model: string | null
  readonly prompt: string | null
}

export function compactionSettings(config: Config): CompactionSettings {
  const { model_auto_compact_token_limit: limit, compact_model: model, compact_prompt: prompt } = config
  return { limit: limit ?? null, model: model ?? null, prompt: prompt ?? null }
}
