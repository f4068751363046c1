/** Limits and abilities of a model that a request must respect. */
export interface ModelTraits {
  /** Highest `max_tokens` that the model takes; the API requires the field. */
  readonly maxOutputTokens: number
  /** `adaptive`: the model decides how long it thinks, within an effort; `budget`: thinking has a number of tokens. */
  readonly thinking: 'adaptive' | 'budget' | 'none'
  /** True if answers can be held to a JSON Schema. */
  readonly schemas: boolean
}

/**
 * Traits by name, the first that fits; after the table of the `@ai-sdk/anthropic` package of August 2026. A later Claude
 * is taken for one like the newest.
 */
const table: readonly (readonly [RegExp, ModelTraits])[] = [
  [/claude-(?:opus-4-[6-8]|sonnet-4-6)/, { maxOutputTokens: 128_000, thinking: 'adaptive', schemas: true }],
  [/claude-(?:opus|sonnet|haiku)-4-5/, { maxOutputTokens: 64_000, thinking: 'budget', schemas: true }],
  [/claude-opus-4-1/, { maxOutputTokens: 32_000, thinking: 'budget', schemas: true }],
  [/claude-sonnet-4-/, { maxOutputTokens: 64_000, thinking: 'budget', schemas: false }],
  [/claude-opus-4-/, { maxOutputTokens: 32_000, thinking: 'budget', schemas: false }],
  [/claude-(?:instant|v?2(?=$|[-.:])|3(?=$|[-.]))/, { maxOutputTokens: 4_096, thinking: 'none', schemas: false }],
  [/claude-/, { maxOutputTokens: 128_000, thinking: 'adaptive', schemas: true }],
]

/** Assumption for models of other makers behind this API. */
const others: ModelTraits = { maxOutputTokens: 16_384, thinking: 'none', schemas: false }

export function traitsOf(model: string): ModelTraits {
  return table.find(([name]) => name.test(model))?.[1] ?? others
}
