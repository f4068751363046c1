import { asSentence, isRecord, parseRecord } from '@parley/text'
import { secretsOf, sourceOfKey } from '../../exchange/endpoint.ts'
import { classifyRefusal, type FailureContext } from '../../failures/classify-refusal.ts'
import { classifyNetwork, explainNotAModel, isPage, withoutSecrets } from '../../failures/explain.ts'
import type { ClientPorts } from '../../port/client-ports.ts'
import type { ModelFailure } from '../../port/model-client.ts'
import type { Provider } from '../../port/provider.ts'
import { type JsonRecord, numberAt, recordAt, stringAt } from '../json.ts'
import { messageOf } from './plugin-process.ts'
import { keyOf } from './start-plugin.ts'

/** Returns the failure of a call from an error as the plug-in's process describes it. */
function explainPlugin(error: unknown, context: FailureContext, streaming: boolean): ModelFailure {
  const described = isRecord(error) ? error : {}
  const status = numberAt(described, 'status')
  const code = stringAt(described, 'code')
  const message = messageOf(error)
  const contentType = stringAt(recordAt(described, 'headers') ?? {}, 'content-type') ?? ''
  const isAnswered = status === undefined || (status >= 200 && status <= 299)
  if (isAnswered && isPage(contentType)) return explainNotAModel(context.host, contentType)
  if (status !== undefined) {
    const words = errorWords(stringAt(described, 'body') ?? '')
    const headers = textsIn(recordAt(described, 'headers') ?? {})
    return classifyRefusal({ status, headers, error: { message, ...words } }, context)
  }
  if (code !== undefined && /^(?:E[A-Z_]+|ERR_TLS|ERR_SSL|CERT_|UND_ERR)/.test(code))
    return classifyNetwork({ type: 'fault', code, detail: message, reusedSocket: false }, streaming, context)
  if (stringAt(described, 'name')?.endsWith('LoadAPIKeyError') === true)
    return { code: 'noCredentials', message: `${context.provider} needs a key: ${message}`, retry: 'never' }
  return {
    code: 'providerError',
    message: `The plug-in of ${context.provider} failed: ${asSentence(message)} Another version of its package may mend it.`,
    retry: 'never',
  }
}

/** Returns the code and kind of an error body in the shape that most providers share. */
function errorWords(body: string): { code: string; kind: string } {
  const parsed = parseRecord(body)
  const error = parsed === undefined ? undefined : (recordAt(parsed, 'error') ?? parsed)
  return { code: stringAt(error ?? {}, 'code') ?? '', kind: stringAt(error ?? {}, 'type') ?? '' }
}

function textsIn(record: JsonRecord): Record<string, string> {
  const texts = Object.entries(record).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  )
  return Object.fromEntries(texts)
}

/** Failures of one call to a package, with the secrets of its provider hidden. */
export interface PluginFailures {
  /** Explains an error as the process describes it. */
  explained(error: unknown, streaming: boolean): ModelFailure
  /** Returns the failure of an answer without its end. */
  endedEarly(why: string, streaming: boolean): ModelFailure
  /** Returns the failure of a package that could not be loaded. */
  notOpened(error: unknown): ModelFailure
}

/** Creates the failures of one call, with the key at its start: a login may replace the key meanwhile. */
export function createPluginFailures(provider: Provider, ports: ClientPorts, model: string): PluginFailures {
  const { name, baseUrl, package: packageName = '' } = provider
  const { now = Date.now, env } = ports
  const key = keyOf(provider, ports)
  const source = sourceOfKey(provider, env, key)
  const secrets = secretsOf(provider, env, key)
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).host : packageName
  const context = (): FailureContext => {
    return { provider: name, host, model, nowMs: now(), ...(source === undefined ? {} : { key: source }) }
  }
  const hidden = (failure: ModelFailure) => withoutSecrets(failure, secrets)
  return {
    explained: (error, streaming) => hidden(explainPlugin(error, context(), streaming)),
    endedEarly(why, streaming) {
      const code = streaming ? 'streamCut' : 'providerError'
      const message = `The plug-in of ${name} ended before its answer was complete: ${why}.`
      return hidden({ code, message, retry: 'short' })
    },
    notOpened(error) {
      const { message } = explainPlugin(error, { provider: name, host, model: '', nowMs: 0 }, false)
      return hidden({ code: 'providerError', message, retry: 'never' })
    },
  }
}
