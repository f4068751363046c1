import type { Config, ModelSettings } from '@parley/config'
import { type ListedFacts, type ModelFacts, modelFacts, type Price, type ProviderConfig } from '@parley/models'
import { withoutUndefined } from '@parley/text'

/** Assumptions about a model without known facts. */
export const unknownModel: ModelFacts = {
  contextWindow: null,
  outputLimit: null,
  price: null,
  images: true,
  reasoning: false,
  toolShape: 'edit',
}

/**
 * Returns the known facts of a model. Top-level keys come first, then `[models]`, the provider's entry, the provider's
 * list (`listed`) and the catalogue.
 */
export function factsOfModel(
  { provider, listed = {} }: { readonly provider: ProviderConfig | null; readonly listed?: ListedFacts },
  model: string,
  config: Config,
): ModelFacts {
  const known = provider === null ? unknownModel : modelFacts(provider, model)
  const own = config.models?.[model]
  const entry = provider === null ? undefined : config.model_providers?.[provider.id]
  return {
    contextWindow:
      config.model_context_window ?? own?.context_window ?? entry?.context_window ?? windowOf(listed, known),
    outputLimit: setOutputLimit(provider, model, config) ?? listed.outputLimit ?? known.outputLimit,
    price: priceOf(own?.price, listed.price ?? known.price),
    images: own?.images ?? known.images,
    reasoning: own?.reasoning ?? known.reasoning,
    toolShape: known.toolShape,
  }
}

/**
 * Returns the listed window, else the window of the catalogue. A list that includes the answer names the sum of both
 * limits of the catalogue: then the catalogue's part for the request holds.
 */
function windowOf({ contextWindow: listed }: ListedFacts, known: ModelFacts): number | null {
  const whole =
    known.contextWindow === null || known.outputLimit === null ? null : known.contextWindow + known.outputLimit
  return listed === undefined || listed === whole ? known.contextWindow : listed
}

/** Returns the output limit that the user set; undefined where requests leave it to the provider. */
export function setOutputLimit(provider: ProviderConfig | null, model: string, config: Config): number | undefined {
  const entry = provider === null ? undefined : config.model_providers?.[provider.id]
  return config.model_max_output_tokens ?? config.models?.[model]?.output_limit ?? entry?.output_limit
}

/** Returns the user's price, completed by the price of the catalogue; null without both main prices. */
function priceOf(own: ModelSettings['price'], known: Price | null): Price | null {
  if (own === undefined) return known
  const input = own.input ?? known?.input
  const output = own.output ?? known?.output
  if (input === undefined || output === undefined) return null
  const cachedInput = own.cached_input ?? known?.cachedInput
  const cacheWrite = own.cache_write ?? known?.cacheWrite
  return { input, ...withoutUndefined({ cachedInput, cacheWrite }), output }
}
