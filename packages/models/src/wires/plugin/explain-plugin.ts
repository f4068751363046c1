import { isRecord } from '@parley/text'
import { classifyRefusal, type FailureContext } from '../../failures/classify-refusal.ts'
import { classifyNetwork } from '../../failures/explain.ts'
import type { ModelFailure } from '../../port/model-client.ts'
import type { Provider } from '../../port/wire.ts'
import { type JsonRecord, numberAt, parseRecord, recordAt, stringAt } from '../json.ts'
import { messageOf } from './plugin-process.ts'

/** Returns the failure of a call from an error as the plug-in's process describes it. */
export function explainPlugin(error: unknown, context: FailureContext, streaming: boolean): ModelFailure {
  const described = isRecord(error) ? error : {}
  const status = numberAt(described, 'status')
  const code = stringAt(described, 'code')
  const message = messageOf(error)
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
    message: `The plug-in of ${context.provider} failed: ${message}. Another version of its package may mend it.`,
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

/** Returns the failure of a package that could not be loaded. */
export function notOpened(provider: Provider, error: unknown): ModelFailure {
  const { message } = explainPlugin(error, contextOf(provider, { model: '', nowMs: 0, key: undefined }), false)
  return { code: 'providerError', message, retry: 'never' }
}

/** Returns the failure of an answer without its end. */
export function endedEarly({ provider }: FailureContext, why: string, streaming: boolean): ModelFailure {
  const code = streaming ? 'streamCut' : 'providerError'
  return { code, message: `The plug-in of ${provider} ended before its answer was complete: ${why}.`, retry: 'short' }
}

interface Moment extends Pick<FailureContext, 'model' | 'nowMs'> {
  /** Variable or command that the key comes from; undefined without one. */
  readonly key: string | undefined
}

/** Returns what explanations of failures need. */
export function contextOf(
  { name, baseUrl, package: packageName = '' }: Provider,
  { model, nowMs, key }: Moment,
): FailureContext {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).host : packageName
  return { provider: name, host, model, nowMs, ...(key === undefined ? {} : { key }) }
}

/** Returns the failure with its secrets hidden. */
export function withoutSecrets(failure: ModelFailure, secrets: readonly string[]): ModelFailure {
  return { ...failure, message: secrets.reduce((text, secret) => text.replaceAll(secret, '[key]'), failure.message) }
}
