import type { HttpFault, HttpHead } from '../http/http-exchange.ts'
import type { Trip } from '../http/watchdog.ts'
import type { FailureCode, ModelFailure, RetryClass } from '../port/model-client.ts'
import type { ExplainFault, ProviderError, WireFault } from '../port/wire.ts'
import { classifyRefusal, type FailureContext } from './classify-refusal.ts'

/** Explanation of everything that can go wrong with a request, as failures. No message contains a secret. */
export interface Explain {
  readonly wire: ExplainFault
  /** Explains a fault of the network; `streaming` is true once the response has begun. */
  network(fault: HttpFault, streaming: boolean): ModelFailure
  /** Explains a response with the status of an error. */
  refusal(head: HttpHead, body: string): ModelFailure
  trip(trip: Exclude<Trip, 'aborted'>): ModelFailure
  tooLarge(code: 'oversizedEvent' | 'responseTooLarge'): ModelFailure
  notAModel(contentType: string): ModelFailure
  /** Explains a body in an encoding that no request asks for. */
  encoded(encoding: string): ModelFailure
  /** Explains an answer that is not of the wire in use; `found` is the wire that it is of. */
  otherAnswer(wire: string, found?: string): ModelFailure
}

interface ExplainSource {
  readonly contextNow: () => FailureContext
  readonly readError: (body: string) => ProviderError
  /** Texts that are removed from every message. */
  readonly secrets: readonly string[]
  readonly idleMs: number
}

/** Returns the failure with its secrets replaced by a mark. */
export function withoutSecrets(failure: ModelFailure, secrets: readonly string[]): ModelFailure {
  return { ...failure, message: textWithoutSecrets(failure.message, secrets) }
}

function textWithoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, '[key]'), text)
}

export function createExplain({ contextNow, readError, secrets, idleMs }: ExplainSource): Explain {
  const clean = (failure: ModelFailure) => withoutSecrets(failure, secrets)
  const { provider, host } = contextNow()
  const refusalOf = ({ status, headers }: HttpHead, body: string) => {
    const { 'content-encoding': encoding = '' } = headers
    const message = `a text in ${encoding}, which was not asked for`
    const error = isEncoded(encoding) ? { message, code: '', kind: '' } : readError(textWithoutSecrets(body, secrets))
    return { status, headers, error }
  }
  return {
    wire: (fault) => clean(explainWire(fault, contextNow())),
    network: (fault, streaming) => clean(classifyNetwork(fault, streaming, contextNow())),
    refusal: (head, body) =>
      clean(explainGuard(head, body, host) ?? classifyRefusal(refusalOf(head, body), contextNow())),
    trip: (trip) => explainTrip(trip, provider, idleMs),
    tooLarge: (code) =>
      failure(code, `The answer of ${provider} is larger than parley accepts. Ask again in smaller steps.`, 'never'),
    notAModel: (contentType) => explainNotAModel(host, contentType),
    encoded: (encoding) => explainEncoded(host, encoding),
    otherAnswer: (wire, found) => explainOtherAnswer(host, wire, found),
  }
}

/** Returns the failure of an answer that is no model's, such as a page for people. */
export function explainNotAModel(host: string, contentType: string): ModelFailure {
  const message = `${host} answered with ${contentType}, which is not the answer of a model. Check base_url.`
  return failure('unexpectedReply', message, 'never')
}

/** Returns true for a page for people, which gateways and wrong addresses answer with. */
export function isPage(contentType: string): boolean {
  return contentType.toLowerCase().startsWith('text/html')
}

/** Tells whether a body is encoded by what its head says of it. */
export function isEncoded(encoding: string): boolean {
  return !/^\s*(?:identity\s*)?$/i.test(encoding)
}

function explainEncoded(host: string, encoding: string): ModelFailure {
  const message = `${host} answered in the encoding ${encoding}, though parley asked for none ("accept-encoding: identity"). Switch it off there or in the proxy before it.`
  return failure('unexpectedReply', message, 'never')
}

/** Headers and words of pages that ask if a person is there, as a guard before a site sends them. */
const guardHeaders = ['cf-mitigated', 'x-amzn-waf-action', 'x-vercel-mitigated']
const guardWords =
  /just a moment|attention required|cf-chl|challenge-platform|captcha|verify you are human|access denied/i

/** Returns the failure of a request that a guard before the provider answered with a page; undefined for any other. */
function explainGuard({ status, headers }: HttpHead, body: string, host: string): ModelFailure | undefined {
  const isGuards = guardHeaders.some((name) => headers[name] !== undefined) || guardWords.test(body)
  if (status !== 403 || !isGuards || !/^\s*</.test(body)) return undefined
  const message = `${host} did not let the request through (403): a guard before it, as of a proxy or of Cloudflare, answered with a page for browsers. It says nothing of the key. Try from another network, or ask whoever runs it to let programs in.`
  return { ...failure('unexpectedReply', message, 'never'), status }
}

function explainOtherAnswer(host: string, wire: string, found: string | undefined): ModelFailure {
  const message =
    found === undefined
      ? `${host} answered, but not as a model does on the wire "${wire}". Check base_url and wire_api of the provider.`
      : `${host} answered as wire_api = "${found}" does, but the provider is set to "${wire}". Correct its wire_api.`
  return failure('unexpectedReply', message, 'never')
}

function explainTrip(trip: Exclude<Trip, 'aborted'>, provider: string, idleMs: number): ModelFailure {
  return trip === 'idle'
    ? failure('idleTimeout', `${provider} has sent nothing for ${idleMs / 1_000} s.`, 'short')
    : failure('responseTooLong', `The answer of ${provider} did not end in time. Ask again in smaller steps.`, 'never')
}

function explainWire(fault: WireFault, context: FailureContext): ModelFailure {
  switch (fault.type) {
    case 'refused':
      return classifyRefusal({ error: fault.error }, context)
    case 'malformed':
      return failure('malformedStream', `${context.provider} sent something unreadable (${fault.what}).`, 'short')
    case 'cut':
      return failure('streamCut', `${context.provider} ended its answer before it was complete.`, 'short')
  }
}

function failure(code: FailureCode, message: string, retry: RetryClass): ModelFailure {
  return { code, message, retry }
}

const unreachable =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EAI_FAIL|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|ERR_PROXY_\w+)$/
/** Codes of a connection that did not come about because the network or the provider is away, for now perhaps. */
const away =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|CONNECT_TIMEOUT)$/
const tls = /^(?:ERR_TLS_|ERR_SSL_|CERT_|EPROTO$|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA)/
const notTls = /^(?:EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'the name is not known',
  EAI_AGAIN: 'the name could not be looked up',
}

/** Explains a fault of the network by its code. */
export function classifyNetwork(fault: HttpFault, streaming: boolean, context: FailureContext): ModelFailure {
  const failure = explainNetwork(fault, streaming, context)
  return !streaming && isAway(fault.code, context) ? { ...failure, network: true } : failure
}

/** Tells if no connection came about. Where a certificate was right before, another network is in between. */
function isAway(code: string, { wasReached }: FailureContext): boolean {
  return away.test(code) || (wasReached === true && tls.test(code) && !notTls.test(code))
}

function explainNetwork(fault: HttpFault, streaming: boolean, context: FailureContext): ModelFailure {
  const { code } = fault
  const { host, provider } = context
  if (unreachable.test(code)) {
    const fault = `Cannot reach ${provider} at ${host}: ${reasons[code] ?? code}.`
    return { ...short('unreachable', `${fault} Check the network, the proxy and base_url.`), fault }
  }
  if (code === 'CONNECT_TIMEOUT') return short('connectTimeout', `${host} did not accept the connection in time.`)
  if (tls.test(code)) return { code: 'tls', ...tlsFailure(code, host), retry: 'never' }
  if (code.startsWith('HPE_')) return short('malformedStream', `${host} did not answer in HTTP (${code}).`)
  if (code === 'ERR_INVALID_URL') {
    const message = `${provider} was not asked: it has no address that can be used. Set base_url of the provider in config.toml, as in base_url = "https://…/v1".`
    return { code: 'invalidRequest', message, retry: 'never' }
  }
  if (code === 'ERR_INVALID_CHAR' && !streaming) {
    const message = `${provider} was not asked: its key or another header has a line break, or a character that no header may have. See the variable of the key (env_key, \`parley provider list\` names it), env_http_headers and http_headers; \`parley login\` takes the key anew.`
    return { code: 'invalidRequest', message, retry: 'never' }
  }
  if (code.startsWith('ERR_') && !streaming) {
    return {
      code: 'invalidRequest',
      message: `The request to ${host} could not be sent: ${fault.detail}.`,
      retry: 'never',
    }
  }
  return streaming
    ? short('streamCut', `The connection to ${provider} was lost in the middle of the answer.`)
    : short('connectionReset', `${host} closed the connection before it answered.`)
}

function tlsFailure(code: string, host: string): Required<Pick<ModelFailure, 'message' | 'fault'>> {
  if (notTls.test(code)) {
    const fault = `${host} does not speak TLS on this port.`
    return { message: `${fault} Is base_url meant to begin with http://?`, fault }
  }
  const fault = `The certificate of ${host} is not trusted (${code}).`
  return {
    message: `${fault} For a private authority set ca_file in [network] to its file, or system_ca = true to trust what this system trusts.`,
    fault,
  }
}

function short(code: FailureCode, message: string): ModelFailure {
  return { code, message, retry: 'short' }
}
