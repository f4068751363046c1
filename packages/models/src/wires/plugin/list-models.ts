import { isRecord } from '@parley/text'
import { listingOf } from '../../exchange/over-http.ts'
import { defaultLimits } from '../../port/client-ports.ts'
import type { ListedModel, ModelFailure, ModelListing } from '../../port/model-client.ts'
import type { Provider } from '../../port/provider.ts'
import { type JsonRecord, recordAt, stringAt } from '../json.ts'
import { listedModel } from '../listed-model.ts'
import { createPluginFailures, type PluginFailures } from './explain-plugin.ts'
import type { CallMessage } from './plugin-process.ts'
import type { Plugin } from './start-plugin.ts'

/** Asks a package for its models. Most packages have no list; one that has is called as AI gateways' packages are. */
export async function listPluginModels({ provider, ports, start }: Plugin, signal: AbortSignal): Promise<ModelListing> {
  // A key that is tried before it is kept has no package to be tried with.
  if (ports.plugins === undefined) return { type: 'unlisted' }
  const started = await start()
  if ('failure' in started) return { type: 'failed', failure: started.failure }
  const { process } = started
  const failures = createPluginFailures(provider, ports, '')
  const { promise, resolve } = Promise.withResolvers<ModelListing>()
  const timeoutMs = ports.limits?.listTimeoutMs ?? defaultLimits.listTimeoutMs
  const stopped = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const stop = () => resolve(signal.aborted ? { type: 'aborted' } : failed(late(provider, timeoutMs)))
  stopped.addEventListener('abort', stop, { once: true })
  if (stopped.aborted) stop()
  let id: number | null = null
  void process.opened.then((error) => {
    if (error !== null) resolve(failed(failures.notOpened(error)))
    else if (!stopped.aborted)
      id = process.call({ type: 'list' }, (message) => resolve(readListing(message, failures, process.lastWords)))
  })
  const listing = await promise
  stopped.removeEventListener('abort', stop)
  if (id !== null) process.cancel(id)
  return listing
}

function late({ name }: Provider, timeoutMs: number): ModelFailure {
  const message = `The plug-in of ${name} did not list its models within ${timeoutMs / 1_000} s.`
  return { code: 'idleTimeout', message, retry: 'short' }
}

function failed(failure: ModelFailure): ModelListing {
  return { type: 'failed', failure }
}

/** Returns the listing of the first message about it. `lastWords` are the last words of the process. */
function readListing(message: CallMessage, failures: PluginFailures, lastWords: string): ModelListing {
  if (message === null) return failed(failures.endedEarly(lastWords, false))
  if (message['type'] === 'error') return failed(failures.explained(message['error'], false))
  const models = recordAt(message, 'part')?.['models']
  return Array.isArray(models) ? listingOf(models.filter(isRecord).flatMap(entryOf)) : { type: 'unlisted' }
}

/** Returns a language model; a model of images or embeddings is left out. */
function entryOf(entry: JsonRecord): readonly ListedModel[] {
  const id = stringAt(entry, 'id')
  const kind = stringAt(entry, 'modelType') ?? 'language'
  if (id === undefined || id === '' || kind !== 'language') return []
  const { input, output, cachedInputTokens, cacheCreationInputTokens } = recordAt(entry, 'pricing') ?? {}
  const pricing = {
    prompt: input,
    completion: output,
    input_cache_read: cachedInputTokens,
    input_cache_write: cacheCreationInputTokens,
  }
  return [listedModel(id, { ...entry, pricing })]
}
