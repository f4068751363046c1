import { classifyRefusal, type FailureContext } from './classify-refusal.ts'
import type { HttpFault, HttpHead } from '../http/http-exchange.ts'
import type { FailureCode, ModelFailure, RetryClass } from '../port/model-client.ts'
import { readErrorBody } from '../wires/openai-api.ts'
import type { Trip } from '../http/watchdog.ts'
import type { WireFault } from '../wires/wire.ts'

/** Everything that can go wrong with one request, put into a failure. No message holds a secret. */
export interface Explain {
  wire(fault: WireFault): ModelFailure
  network(fault: HttpFault, streaming: boolean): ModelFailure
  refusal(head: HttpHead, body: string): ModelFailure
  trip(trip: Exclude<Trip, 'aborted'>): ModelFailure
  tooLarge(code: 'oversizedEvent' | 'responseTooLarge'): ModelFailure
  notAModel(contentType: string): ModelFailure
}

interface ExplainSource {
  readonly contextNow: () => FailureContext
  readonly secrets: readonly string[]
  readonly idleMs: number
}

export function createExplain({ contextNow, secrets, idleMs }: ExplainSource): Explain {
  const redact = (text: string) => secrets.reduce((left, secret) => left.replaceAll(secret, '[key]'), text)
  const clean = (failure: ModelFailure): ModelFailure => ({ ...failure, message: redact(failure.message) })
  const { provider, host } = contextNow()
  return {
    wire: (fault) => clean(explainWire(fault, contextNow())),
    network: (fault, streaming) => clean(classifyNetwork(fault, streaming, contextNow())),
    refusal: ({ status, headers }, body) =>
      clean(classifyRefusal({ status, headers, error: readErrorBody(redact(body)) }, contextNow())),
    trip: (trip) => explainTrip(trip, provider, idleMs),
    tooLarge: (code) =>
      failure(code, `${provider} sent more than one answer can hold. Ask again in smaller steps.`, 'never'),
    notAModel: (contentType) =>
      failure('unexpectedReply', `${host} answered with ${contentType}, not as a model does. Check base_url.`, 'never'),
  }
}

function explainTrip(trip: Exclude<Trip, 'aborted'>, provider: string, idleMs: number): ModelFailure {
  return trip === 'idle'
    ? failure('idleTimeout', `${provider} has sent nothing for ${idleMs / 1_000} s.`, 'short')
    : failure('responseTooLong', `${provider} did not come to an end. Ask again in smaller steps.`, 'never')
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

const UNREACHABLE =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EAI_FAIL|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|ERR_PROXY_\w+)$/
const TLS = /^(?:ERR_TLS_|ERR_SSL_|CERT_|EPROTO$|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA)/
const NOT_TLS = /^(?:EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'the name is not known',
  EAI_AGAIN: 'the name could not be looked up',
}

/** Pure: what a fault of the network means. `streaming` once the response had begun. */
export function classifyNetwork(fault: HttpFault, streaming: boolean, context: FailureContext): ModelFailure {
  const { code } = fault
  const { host, provider } = context
  if (UNREACHABLE.test(code)) {
    const message = `Cannot reach ${provider} at ${host}: ${REASONS[code] ?? code}. Check the network, the proxy and base_url.`
    return short('unreachable', message)
  }
  if (code === 'CONNECT_TIMEOUT') return short('connectTimeout', `${host} did not take the connection in time.`)
  if (TLS.test(code)) return { code: 'tls', message: sayTls(code, host), retry: 'never' }
  if (code.startsWith('HPE_')) return short('malformedStream', `${host} did not answer in HTTP (${code}).`)
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

function sayTls(code: string, host: string): string {
  if (NOT_TLS.test(code)) return `${host} does not speak TLS on this port. Is base_url meant to begin with http://?`
  return `The certificate of ${host} is not trusted (${code}). For a private authority set NODE_EXTRA_CA_CERTS to its file.`
}

function short(code: FailureCode, message: string): ModelFailure {
  return { code, message, retry: 'short' }
}
