import { checkNetwork } from '@parley/models'
import type { ParamsOf, ResultOf } from '@parley/protocol'
import type { Redaction } from '@parley/redaction'
import { invalidParam } from '../replies/rejection.ts'
import { keptList } from '../settings/kept-lists.ts'
import type { ListPorts } from '../settings/model-lists.ts'
import { assertProvider, chooseProvider, defaultModelOf, providerOf } from '../settings/model-sources.ts'
import { readConfig } from '../settings/read-config.ts'

/**
 * Checks the way to a provider step by step, up to one token of a model: the named provider, else the chosen one. Rejects
 * with `invalidParams` for an unknown provider, and without a chosen one.
 */
export async function checkProviderNetwork(
  { provider: providerId, model: modelName }: ParamsOf<'provider/check'>,
  ports: ListPorts & { readonly redaction: Redaction },
): Promise<ResultOf<'provider/check'>> {
  const { home, env, keys, models, redaction } = ports
  const { values } = readConfig(home, {})
  const chosen = chooseProvider(values, { env, kept: keys.kept() })
  const id = providerId ?? chosen?.id
  if (id === undefined)
    throw invalidParam('provider', 'No provider is chosen. Name one: `parley provider list` shows them.')
  assertProvider(id, values, env)
  const provider = providerOf(id, values, env)
  if (provider === null) {
    const text = `${id} plays a recording; nothing is asked over the network`
    return { checks: [{ name: 'address', level: 'ok', text }] }
  }
  const usual = chosen?.id === id ? chosen.model : defaultModelOf(id, env)
  const model = modelName ?? (usual === 'default' ? keptList(provider, ports)?.models[0] : usual) ?? null
  const steps = await checkNetwork({ provider, client: models(values)(id).client, model, env })
  return { checks: steps.map((step) => ({ ...step, text: redaction.text(step.text) })) }
}
