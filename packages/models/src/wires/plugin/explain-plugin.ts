import { classifyRefusal, type FailureContext } from '../../failures/classify-refusal.ts'
import { classifyNetwork } from '../../failures/explain.ts'
import type { ModelFailure } from '../../port/model-client.ts'
import { isRecord, type JsonRecord, numberAt, parseRecord, recordAt, stringAt } from '../json.ts'
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
