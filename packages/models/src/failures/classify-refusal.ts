import type { FailureCode, ModelFailure, RetryClass } from '../port/model-client.ts'
import type { ProviderError } from '../wires/openai-api.ts'
import { type HeaderValues, readWaitHint } from './wait-hint.ts'

/** Who was asked for what: the words that make a message say what to do next. */
export interface FailureContext {
  readonly provider: string
  /** host:port */
  readonly host: string
  readonly model: string
  readonly envKey?: string
  readonly nowMs: number
}

export interface Refusal {
  readonly error: ProviderError
  /** Absent for an error that came inside a stream. */
  readonly status?: number
  readonly headers?: HeaderValues
}

interface Verdict {
  readonly code: FailureCode
  readonly retry: RetryClass
  readonly say: (context: FailureContext) => string
}

/** A wait that the provider asks for and that is longer than this is not a hiccup. */
const SHORT_WAIT_LIMIT_MS = 30_000

const CONTEXT_TOO_LONG =
  /context[_ ](?:length|window|size)|maximum context|(?:prompt|input) is too (?:long|large)|too many (?:input )?tokens/i
const QUOTA_CODES = /^(?:insufficient_quota|billing_.*|insufficient_balance|credit_balance_too_low)$/
const MODEL_MISSING = /\bmodels?[ /]["'`]?[\w./:@-]*["'`]? ?(?:is |was )?(?:not found|does not exist|not exist)/i

/** Pure: what a refused request means, whether it came as an HTTP status or inside the stream. */
export function classifyRefusal(refusal: Refusal, context: FailureContext): ModelFailure {
  const status = refusal.status ?? refusal.error.status
  const verdict = verdictOn(refusal.error, status)
  const { message } = refusal.error
  const quoted = message === '' ? '' : ` It said: ${message}`
  const failure = {
    code: verdict.code,
    message: verdict.say(context) + quoted,
    ...(status === undefined ? {} : { status }),
  }
  if (verdict.retry === 'never') return { ...failure, retry: 'never' }
  const retryAfterMs = readWaitHint({ headers: refusal.headers ?? {}, message, nowMs: context.nowMs })
  if (retryAfterMs === undefined) return { ...failure, retry: verdict.retry }
  return { ...failure, retry: retryAfterMs > SHORT_WAIT_LIMIT_MS ? 'long' : verdict.retry, retryAfterMs }
}

function verdictOn(error: ProviderError, status: number | undefined): Verdict {
  return verdictByWord(error, status) ?? verdictByStatus(status)
}

/** The provider's own word is more exact than its status, and inside a stream it is all there is. */
function verdictByWord({ code, kind, message }: ProviderError, status: number | undefined): Verdict | undefined {
  const words = [code, kind]
  const says = (pattern: RegExp) => words.some((word) => pattern.test(word))
  if (says(QUOTA_CODES)) return QUOTA
  if (says(/^rate_limit/) || says(/^tokens$|^requests$/)) return RATE_LIMITED
  if (says(/^(?:context_length_exceeded|exceed_context_size_error)$/)) return CONTEXT
  if (says(/^model_not_found$/)) return UNKNOWN_MODEL
  if (says(/^(?:invalid_api_key|authentication_error|permission_error)$/)) return AUTH
  if (says(/overloaded|slow_down/)) return OVERLOADED
  const refused = status === undefined || (status >= 400 && status < 500 && status !== 429)
  if (refused && CONTEXT_TOO_LONG.test(message)) return CONTEXT
  if (refused && MODEL_MISSING.test(message)) return UNKNOWN_MODEL
  return says(/^(?:invalid_request_error|invalid_prompt)$/) && status === undefined ? INVALID : undefined
}

function verdictByStatus(status: number | undefined): Verdict {
  if (status === undefined || status >= 500) return status === 529 ? OVERLOADED : PROVIDER_ERROR
  if (status >= 300 && status < 400) return REDIRECT
  const known: Record<number, Verdict> = {
    401: AUTH,
    402: QUOTA,
    403: AUTH,
    404: NOT_FOUND,
    408: PROVIDER_ERROR,
    409: PROVIDER_ERROR,
    413: CONTEXT,
    425: PROVIDER_ERROR,
    429: RATE_LIMITED,
  }
  return known[status] ?? INVALID
}

const QUOTA: Verdict = {
  code: 'quota',
  retry: 'never',
  say: ({ provider }) =>
    `${provider} refused because the account has no credit left. Check its billing, or use another provider.`,
}
const RATE_LIMITED: Verdict = {
  code: 'rateLimited',
  retry: 'short',
  say: ({ provider }) => `${provider} is limiting how often this account may ask.`,
}
const CONTEXT: Verdict = {
  code: 'contextTooLong',
  retry: 'never',
  say: ({ model }) =>
    `The conversation is longer than ${model} can read; nothing is lost. Begin a new one (/new in the terminal), or go on from an earlier event of this one: \`parley fork ID --at SEQ\`, where SEQ is the number of the event in the log.`,
}
const UNKNOWN_MODEL: Verdict = {
  code: 'unknownModel',
  retry: 'never',
  say: ({ provider, model }) => `${provider} does not offer the model "${model}". Choose another one.`,
}
const AUTH: Verdict = { code: 'auth', retry: 'never', say: sayAuth }
const OVERLOADED: Verdict = {
  code: 'overloaded',
  retry: 'long',
  say: ({ provider }) => `${provider} is overloaded at the moment.`,
}
const PROVIDER_ERROR: Verdict = {
  code: 'providerError',
  retry: 'short',
  say: ({ provider }) => `${provider} failed to answer.`,
}
const INVALID: Verdict = {
  code: 'invalidRequest',
  retry: 'never',
  say: ({ provider }) => `${provider} did not accept the request.`,
}
const NOT_FOUND: Verdict = {
  code: 'notFound',
  retry: 'never',
  say: ({ provider, host }) => `${provider} at ${host} does not know this address. Check base_url and wire_api.`,
}
const REDIRECT: Verdict = {
  code: 'redirect',
  retry: 'never',
  say: ({ host }) =>
    `${host} answered with a redirect, which is not followed so that the key stays here. Set base_url to the final address.`,
}

function sayAuth({ provider, envKey }: FailureContext): string {
  const from = envKey === undefined ? 'the request, which carried no key' : `the key from ${envKey}`
  return `${provider} refused ${from}. Check it.`
}
