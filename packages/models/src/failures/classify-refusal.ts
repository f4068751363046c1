import type { FailureCode, ModelFailure, RetryClass } from '../port/model-client.ts'
import type { ProviderError } from '../port/wire.ts'
import { shortWaits } from './plan-retry.ts'
import { type HeaderValues, readWaitHint } from './wait-hint.ts'

/** Request that failed, in the words that its messages use. */
export interface FailureContext {
  readonly provider: string
  /** Host and port. */
  readonly host: string
  readonly model: string
  /** Variable or command that the key comes from; absent for a request without one. */
  readonly key?: string
  readonly nowMs: number
  /** Set when this process has had an answer from there before. */
  readonly wasReached?: true
}

/** Response of a provider that rejects a request. */
interface Refusal {
  readonly error: ProviderError
  /** HTTP status; absent for an error inside a stream. */
  readonly status?: number
  readonly headers?: HeaderValues
}

interface Verdict {
  readonly code: FailureCode
  readonly retry: RetryClass
  readonly message: (context: FailureContext) => string
}

const quotaCodes = /^(?:insufficient_quota|billing_.*|insufficient_balance|credit_balance_too_low)$/
/** Words of Ollama, vLLM, llama.cpp, OpenRouter, Gemini, Groq, Mistral and DeepSeek for a model without tools. */
const noTools =
  /does not support (?:tools|tool use|(?:function|tool)[ _]calls?)|--enable-auto-tool-choice|tools param requires|unsupported param: tools|support tool use|(?:function|tool) (?:calling|use)`? is not (?:enabled|supported)/i
/** Messages of refused requests that no code or status tells apart. */
const messages: readonly (readonly [RegExp, 'quota' | 'tooManyTools' | 'contextTooLong' | 'unknownModel'])[] = [
  [/credit balance is too low/i, 'quota'],
  [
    /tools'?: array too long|(?:more than|at most|maximum(?: number)? of|up to|limit of) \d* ?(?:tools|functions)|too many (?:tools|functions?)/i,
    'tooManyTools',
  ],
  [
    /context[_ ](?:length|window|size|limit)|maximum context|(?:prompt|input) is too (?:long|large)|too many (?:input )?tokens|token count\b.*\bexceeds the maximum|maximum prompt length/i,
    'contextTooLong',
  ],
  [/\bmodels?[ /]["'`]?[\w./:@-]*["'`]? ?(?:is |was )?(?:not found|does not exist|not exist)/i, 'unknownModel'],
]

/** Returns the failure of a rejected request, whether the error came as an HTTP status or inside the stream. */
export function classifyRefusal(refusal: Refusal, context: FailureContext): ModelFailure {
  const status = refusal.status ?? refusal.error.status
  const verdict = verdictByWord(refusal.error, status) ?? verdictByStatus(status)
  const { message } = refusal.error
  const fault = verdict.message(context)
  const failure = {
    code: verdict.code,
    ...(message === '' ? { message: fault } : { message: `${fault} It said: ${message}`, fault }),
    ...(status === undefined ? {} : { status }),
  }
  if (verdict.retry === 'never') return { ...failure, retry: 'never', ...refusedBy(verdict, status) }
  const retryAfterMs = readWaitHint({ headers: refusal.headers ?? {}, message, nowMs: context.nowMs })
  if (retryAfterMs === undefined) return { ...failure, retry: verdict.retry }
  return { ...failure, retry: retryAfterMs > shortWaits.capMs ? 'long' : verdict.retry, retryAfterMs }
}

/** Statuses of refusals of the request's content; a refusal inside of a stream has no status. */
const ofContent: ReadonlySet<number | undefined> = new Set([400, 422, undefined])

function refusedBy({ code }: Verdict, status: number | undefined): Pick<ModelFailure, 'refused'> {
  return code === 'invalidRequest' && ofContent.has(status) ? { refused: [] } : {}
}

/** Judges by the provider's own words, which are more exact than a status and inside a stream the only evidence. */
function verdictByWord({ code, kind, message }: ProviderError, status: number | undefined): Verdict | undefined {
  const words = [code, kind]
  const says = (pattern: RegExp) => words.some((word) => pattern.test(word))
  if (says(quotaCodes)) return verdicts.quota
  if (says(/^rate_limit/) || says(/^tokens$|^requests$/)) return verdicts.rateLimited
  if (says(/^(?:context_length_exceeded|exceed_context_size_error)$/)) return verdicts.contextTooLong
  if (says(/^model_not_found$/)) return verdicts.unknownModel
  if (says(/^(?:invalid_api_key|authentication_error|permission_error)$/)) return verdicts.auth
  if (says(/overloaded|slow_down/)) return verdicts.overloaded
  if (noTools.test(message)) return verdicts.toolsUnsupported
  const refused = status === undefined || (status >= 400 && status < 500 && status !== 429)
  const byMessage = refused ? messages.find(([pattern]) => pattern.test(message)) : undefined
  if (byMessage !== undefined) return verdicts[byMessage[1]]
  return says(/^(?:invalid_request_error|invalid_prompt)$/) && status === undefined
    ? verdicts.invalidRequest
    : undefined
}

function verdictByStatus(status: number | undefined): Verdict {
  if (status === undefined || status >= 500) return status === 529 ? verdicts.overloaded : verdicts.providerError
  if (status >= 300 && status < 400) return verdicts.redirect
  const known: Record<number, Verdict> = {
    401: verdicts.auth,
    402: verdicts.quota,
    403: verdicts.auth,
    404: verdicts.notFound,
    408: verdicts.providerError,
    409: verdicts.providerError,
    413: verdicts.contextTooLong,
    425: verdicts.providerError,
    429: verdicts.rateLimited,
  }
  return known[status] ?? verdicts.invalidRequest
}

const verdicts = {
  quota: {
    code: 'quota',
    retry: 'never',
    message: ({ provider }) =>
      `${provider} refused because the account has no credit left. Check its billing, or use another provider.`,
  },
  rateLimited: {
    code: 'rateLimited',
    retry: 'short',
    message: ({ provider }) => `${provider} limits how often you may ask.`,
  },
  contextTooLong: {
    code: 'contextTooLong',
    retry: 'never',
    message: ({ model }) =>
      `The conversation is longer than ${model} can read; nothing is lost. Go on with a model that reads more (/model, -m), or before an earlier message: Esc twice in the terminal, \`parley fork ID --at SEQ\` elsewhere (\`parley show ID\` has the numbers). Where one message is too long by itself, name a file in place of its text.`,
  },
  unknownModel: {
    code: 'unknownModel',
    retry: 'never',
    message: ({ provider, model }) => `${provider} does not offer the model "${model}". Choose another one.`,
  },
  toolsUnsupported: {
    code: 'toolsUnsupported',
    retry: 'never',
    message: ({ provider, model }) =>
      `"${model}" of ${provider} does not call tools, and parley does all its work by them. Choose a model that does; on a server of your own, see if it was started with tool calling.`,
  },
  tooManyTools: {
    code: 'tooManyTools',
    retry: 'never',
    message: ({ provider }) =>
      `${provider} takes fewer tools than there are here. Name those you need in enabled_tools of your MCP servers, or set enabled = false for some of them.`,
  },
  auth: { code: 'auth', retry: 'never', message: authMessage },
  overloaded: {
    code: 'overloaded',
    retry: 'long',
    message: ({ provider }) => `${provider} is overloaded.`,
  },
  providerError: {
    code: 'providerError',
    retry: 'short',
    message: ({ provider }) => `${provider} is not answering.`,
  },
  invalidRequest: {
    code: 'invalidRequest',
    retry: 'never',
    message: ({ provider }) => `${provider} did not accept the request.`,
  },
  notFound: {
    code: 'notFound',
    retry: 'never',
    message: ({ provider, host }) => `${provider} at ${host} does not know this address. Check base_url and wire_api.`,
  },
  redirect: {
    code: 'redirect',
    retry: 'never',
    message: ({ host }) =>
      `${host} answered with a redirect, which is not followed so that the key stays here. Set base_url to the final address.`,
  },
} satisfies Partial<Record<FailureCode, Verdict>>

function authMessage({ provider, key }: FailureContext): string {
  const from = key === undefined ? 'the request, which carried no key' : `the key from ${key}`
  return `${provider} refused ${from}. Check it.`
}
