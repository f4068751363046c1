import type { ListedFacts, Prices } from '../port/model-client.ts'

/** Tokens of a window or an answer that a list can mean; anything else is taken for a mistake. */
const tokenRange = { least: 1_000, most: 100_000_000 } as const
/** Highest price of a million tokens that a list can mean, in US dollars. */
const mostDollars = 10_000

/** Returns the facts that can be true, without the others. */
export function credibleFacts(listed: { readonly [Fact in keyof ListedFacts]?: unknown }): ListedFacts {
  const contextWindow = credibleTokens(listed.contextWindow)
  const outputLimit = credibleTokens(listed.outputLimit)
  const price = crediblePrice(listed.price)
  const fits = outputLimit !== undefined && (contextWindow === undefined || outputLimit <= contextWindow)
  return {
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(fits ? { outputLimit } : {}),
    ...(price === undefined ? {} : { price }),
  }
}

function credibleTokens(value: unknown): number | undefined {
  const { least, most } = tokenRange
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most ? value : undefined
}

/** Returns a price with both main parts above 0, or both 0. A part for the cache that cannot be true is left out. */
function crediblePrice(value: unknown): Prices | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const input = dollarsAt(value, 'input')
  const output = dollarsAt(value, 'output')
  if (input === undefined || output === undefined || (input === 0) !== (output === 0)) return undefined
  const cachedInput = dollarsAt(value, 'cachedInput') ?? 0
  const cacheWrite = dollarsAt(value, 'cacheWrite') ?? 0
  return {
    input,
    ...(cachedInput > 0 && cachedInput <= input ? { cachedInput } : {}),
    ...(cacheWrite > 0 && input > 0 ? { cacheWrite } : {}),
    output,
  }
}

function dollarsAt(value: object, key: keyof Prices): number | undefined {
  const dollars: unknown = Reflect.get(value, key)
  return typeof dollars === 'number' && dollars >= 0 && dollars <= mostDollars ? dollars : undefined
}
