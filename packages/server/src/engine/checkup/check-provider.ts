import type { Environment, ModelListing } from '@parley/models'
import type { Check } from '@parley/protocol'
import type { ModelSources } from '../settings/model-sources.ts'
import { chooseProvider, keyVariables } from '../settings/providers.ts'
import { readConfig } from '../settings/read-config.ts'

export interface CheckProviderPorts {
  readonly home: string
  readonly env: Environment
  readonly models: ModelSources
}

const patienceMs = 1_200

/** Whether the provider of a new conversation answers; it is asked for its models, which costs nothing. */
export async function checkProvider({ home, env, models }: CheckProviderPorts): Promise<Check[]> {
  const { values } = readConfig(home, {})
  const chosen = chooseProvider(values, env)
  const name = 'provider'
  if (chosen === null) {
    const variables = keyVariables(values).join(', ')
    return [
      {
        name,
        level: 'problem',
        text: `no model is configured: ${variables} not set`,
        remedy: 'Set a key, or run `parley demo` to try it without one.',
      },
    ]
  }
  const about = `${chosen.id}, model ${chosen.model}`
  const listing = await models(values)(chosen.id).client.listModels(AbortSignal.timeout(patienceMs))
  return [{ name, ...judged(listing, about) }]
}

function judged(listing: ModelListing, about: string): Omit<Check, 'name'> {
  switch (listing.type) {
    case 'models':
      return { level: 'ok', text: `${about}: it answers` }
    case 'aborted':
      return {
        level: 'warning',
        text: `${about}: no answer within ${patienceMs / 1000} s`,
        remedy: 'It may be slow; or the network, a proxy or its address is not right.',
      }
    case 'failed':
      return { level: 'problem', text: `${about}: ${listing.failure.message}` }
  }
}
