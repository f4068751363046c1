import { isLoopbackHost } from '@parley/text'
import type { Prices, TokenUsage } from '../port/model-client.ts'
import type { Provider } from '../port/provider.ts'
import { type CatalogueRow, catalogue } from './catalogue.ts'

export interface Price extends Prices {
  /** Prices of a request with more than `overTokens` of input. */
  readonly long?: { readonly overTokens: number; readonly prices: Prices }
}

/** `freeformPatch`: patches as a freeform tool with a grammar; `edit`: one place of one file, by old and new text. */
type ToolShape = 'freeformPatch' | 'edit'

export interface ModelFacts {
  /** Tokens that a request may have; null where that is not known. */
  readonly contextWindow: number | null
  /** Tokens that an answer may have; null where that is not known. */
  readonly outputLimit: number | null
  /** Price at this provider; null where it is not known. */
  readonly price: Price | null
  readonly images: boolean
  readonly reasoning: boolean
  readonly toolShape: ToolShape
}

/** Abilities that decide which tools a model is offered. */
export type ModelAbilities = Pick<ModelFacts, 'toolShape' | 'images'>

type PricedProvider = Pick<Provider, 'id' | 'baseUrl' | 'envKey' | 'recording'>

/**
 * Returns the facts of a model from the catalogue, with the price of its own provider; without a row, the facts of its
 * family. An unknown model reads images and has an unknown window and price.
 */
export function modelFacts(provider: PricedProvider, model: string): ModelFacts {
  const name = bareName(model)
  const own = rowOf(provider.id, model.toLowerCase()) ?? rowOf(provider.id, name)
  const row = own ?? rowOfAny(name)
  const family = familyOf(name)
  const price = isFree(provider) ? free : own === null ? null : priceOf(own)
  if (row === null) return { contextWindow: family.window, outputLimit: null, price, ...family.traits }
  const [contextWindow, outputLimit, , abilities = ''] = row
  const [images, reasoning] = [abilities.includes('images'), abilities.includes('reasoning')]
  return { contextWindow, outputLimit, price, images, reasoning, toolShape: family.traits.toolShape }
}

/** Returns a name without its maker, its variant and its spelling with dots, as gateways give them. */
function bareName(model: string): string {
  const name = model.toLowerCase().replace(/^.*\//, '').replace(/:.*$/, '')
  return name.startsWith('claude-') ? name.replaceAll('.', '-') : name
}

const datedEnd = /^(?:[-@](?:\d{4}-\d\d-\d\d|\d{3,8}|latest|preview(?:-\d\d-\d{2,4})?))*$/

function rowOf(providerId: string, name: string): CatalogueRow | null {
  if (!Object.hasOwn(catalogue, providerId)) return null
  const rows = Object.entries(catalogue[providerId] ?? {}).filter(
    ([known]) => name.startsWith(known) && datedEnd.test(name.slice(known.length)),
  )
  const [longest] = rows.toSorted(([one], [other]) => other.length - one.length)
  return longest?.[1] ?? null
}

function rowOfAny(name: string): CatalogueRow | null {
  for (const id of Object.keys(catalogue)) {
    const row = rowOf(id, name)
    if (row !== null) return row
  }
  return null
}

interface Family {
  readonly window: number | null
  readonly traits: Pick<ModelFacts, 'images' | 'reasoning' | 'toolShape'>
}

/** Families by the beginning of a name, for models that came after the catalogue. */
const families: readonly (readonly [RegExp, Family])[] = [
  [/^gpt-oss/, { window: 131_072, traits: { images: false, reasoning: true, toolShape: 'edit' } }],
  [/^gpt-[5-9]/, { window: 272_000, traits: { images: true, reasoning: true, toolShape: 'freeformPatch' } }],
  [/claude-/, { window: 200_000, traits: { images: true, reasoning: true, toolShape: 'edit' } }],
  [/^gemini-/, { window: 1_048_576, traits: { images: true, reasoning: true, toolShape: 'edit' } }],
  [
    /^(?:deepseek|codestral|devstral)-/,
    { window: null, traits: { images: false, reasoning: false, toolShape: 'edit' } },
  ],
]

const unknownFamily: Family = { window: null, traits: { images: true, reasoning: false, toolShape: 'edit' } }

function familyOf(name: string): Family {
  return families.find(([beginning]) => beginning.test(name))?.[1] ?? unknownFamily
}

const free: Price = { input: 0, output: 0 }

/** Tests if a provider costs nothing: a recording, or a server of this machine that wants no key. */
function isFree({ baseUrl, envKey, recording }: PricedProvider): boolean {
  if (recording !== undefined) return true
  return envKey === undefined && URL.canParse(baseUrl) && isLoopbackHost(new URL(baseUrl).hostname)
}

function priceOf([, , price, , long]: CatalogueRow): Price {
  if (long === undefined) return pricesOf(price)
  const [overTokens, prices] = long
  return { ...pricesOf(price), long: { overTokens, prices: pricesOf(prices) } }
}

function pricesOf([input, cachedInput, cacheWrite, output]: CatalogueRow[2]): Prices {
  return {
    input,
    ...(cachedInput === null ? {} : { cachedInput }),
    ...(cacheWrite === null ? {} : { cacheWrite }),
    output,
  }
}

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
