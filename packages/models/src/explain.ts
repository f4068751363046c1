import { classifyRefusal, type FailureContext } from './classify-failure.ts'
import { classifyNetwork } from './classify-network.ts'
import type { HttpFault, HttpHead } from './http.ts'
import type { FailureCode, ModelFailure, RetryClass } from './port.ts'
import { readErrorBody } from './provider-error.ts'
import type { Trip } from './watchdog.ts'
import type { WireFault } from './wire.ts'

/** Everything that can go wrong with one request, put into a failure. No message holds a secret. */
export interface Explain {
  wire(fault: WireFault): ModelFailure
  network(fault: HttpFault, streaming: boolean): ModelFailure
  refusal(head: HttpHead, body: string): ModelFailure
  trip(trip: Exclude<Trip, 'aborted'>): ModelFailure
  tooLarge(code: 'oversizedEvent' | 'responseTooLarge'): ModelFailure
  notAModel(contentType: string): ModelFailure
}

export interface ExplainSource {
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
