import type { RecordedRequest, Wire } from '../wires/scripted-step.ts'
import { anthropicRules } from './anthropic-rules.ts'
import { geminiRules } from './gemini-rules.ts'
import { chatRules, responsesRules } from './openai-rules.ts'
import { fieldsOf, type ProviderRule } from './provider-rule.ts'

/** Rules of the APIs, by wire. */
export const providerRules: Readonly<Record<Wire, readonly ProviderRule[]>> = {
  anthropic: anthropicRules,
  chat: chatRules,
  gemini: geminiRules,
  responses: responsesRules,
}

/** Returns the provider's error for a request that it refuses; null for any other. */
export function refusalOf({
  wire,
  text,
  body,
  path,
}: Pick<RecordedRequest, 'wire' | 'text' | 'body' | 'path'>): string | null {
  const model = /\/models\/([^:]+):/.exec(path)?.[1] ?? ''
  for (const rule of providerRules[wire]) {
    const refusal = rule.refuse({ text, body: fieldsOf(body), model })
    if (refusal !== null) return refusal
  }
  return null
}

/** Returns a refusal in the form of the API. */
export function refusalBody(wire: Wire, message: string): object {
  if (wire === 'anthropic') return { type: 'error', error: { type: 'invalid_request_error', message } }
  if (wire === 'gemini') return { error: { code: 400, message, status: 'INVALID_ARGUMENT' } }
  return { error: { message, type: 'invalid_request_error', param: null, code: null } }
}
