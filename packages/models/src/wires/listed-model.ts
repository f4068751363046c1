import { credibleFacts } from '../catalogue/listed-facts.ts'
import type { ListedModel } from '../port/model-client.ts'
import { type JsonRecord, numberAt, recordAt } from './json.ts'

/** Names of the context window in lists of models; a window for input alone goes before a shared one. */
const windowKeys = [
  ...['max_input_tokens', 'inputTokenLimit', 'context_length', 'context_window'],
  ...['max_model_len', 'loaded_context_length', 'max_context_length'],
]
const outputKeys = ['outputTokenLimit', 'max_completion_tokens', 'max_output_tokens', 'max_tokens']

/** Returns a model with the credible facts of its entry in a list, under any of the names that servers use. */
export function listedModel(id: string, entry: JsonRecord): ListedModel {
  const top = recordAt(entry, 'top_provider') ?? {}
  const meta = recordAt(entry, 'meta') ?? {}
  return {
    id,
    ...credibleFacts({
      contextWindow: firstNumber(entry, windowKeys) ?? numberAt(meta, 'n_ctx'),
      outputLimit: numberAt(top, 'max_completion_tokens') ?? firstNumber(entry, outputKeys),
      price: priceOf(id, recordAt(entry, 'pricing') ?? {}),
    }),
  }
}

function firstNumber(entry: JsonRecord, keys: readonly string[]): number | undefined {
  for (const key of keys) {
    const value = numberAt(entry, key)
    if (value !== undefined) return value
  }
  return undefined
}

/** Returns a price that a list gives as text, in dollars per token. One of 0 counts only for a model called free. */
function priceOf(id: string, pricing: JsonRecord): object {
  const price = {
    input: perMillion(pricing['prompt']),
    cachedInput: perMillion(pricing['input_cache_read']),
    cacheWrite: perMillion(pricing['input_cache_write']),
    output: perMillion(pricing['completion']),
  }
  return price.input === 0 && !id.endsWith(':free') ? {} : price
}

const million = 1_000_000
const nano = 1_000_000_000

function perMillion(dollars: unknown): number | undefined {
  if (typeof dollars !== 'string' || !/^\d+(?:\.\d+)?(?:e-?\d+)?$/i.test(dollars)) return undefined
  return Math.round(Number(dollars) * million * nano) / nano
}
