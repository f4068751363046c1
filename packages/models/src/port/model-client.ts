import type { ModelCall, ModelRequest } from './model-request.ts'

/** Port to the models of a provider. */
export interface ModelClient {
  /** Name of wire, version and provider. Only an entry with the same adapter is sent back unchanged. */
  readonly adapter: string
  /** Streams one response. Never throws for network, provider or abort: the last event is the only terminal one. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>
  /** Lists the models that the provider offers. Never throws. */
  listModels(signal: AbortSignal): Promise<ModelListing>
}

export interface TokenUsage {
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly outputTokens: number
  readonly reasoningTokens: number
}

export type FailureCode =
  | 'auth'
  | 'badBaseUrl'
  | 'connectionReset'
  | 'connectTimeout'
  | 'contextTooLong'
  | 'idleTimeout'
  | 'invalidRequest'
  | 'malformedStream'
  | 'noCredentials'
  | 'notFound'
  | 'overloaded'
  | 'oversizedEvent'
  | 'providerError'
  | 'quota'
  | 'rateLimited'
  | 'recordingMismatch'
  | 'recordingUnreadable'
  | 'redirect'
  | 'responseTooLarge'
  | 'responseTooLong'
  | 'streamCut'
  | 'tls'
  | 'unexpectedReply'
  | 'unknownModel'
  | 'unreachable'

/** Wait before a retry: `short` is seconds, `long` is minutes since the provider is busy, `never` needs a change first. */
export type RetryClass = 'short' | 'long' | 'never'

export interface ModelFailure {
  readonly code: FailureCode
  /** Text for people: what happened, why, and what to do. Never contains the key. */
  readonly message: string
  readonly retry: RetryClass
  /** Wait that the provider asks for; a retry must not come sooner. */
  readonly retryAfterMs?: number
  readonly status?: number
}

export type StopReason = 'stop' | 'length' | 'filter'

/** Event of a response. `part` names the text, reasoning or call that it belongs to, uniquely within the response. */
export type ModelEvent =
  | { readonly type: 'textDelta'; readonly part: string; readonly text: string }
  | { readonly type: 'textDone'; readonly part: string; readonly text: string }
  | { readonly type: 'reasoningDelta'; readonly part: string; readonly text: string }
  | { readonly type: 'reasoningDone'; readonly part: string; readonly text: string }
  | { readonly type: 'callDelta'; readonly part: string; readonly name?: string; readonly argumentBytes: number }
  | ({ readonly type: 'call'; readonly part: string } & ModelCall)
  | TerminalEvent

export type TerminalEvent =
  | {
      readonly type: 'completed'
      readonly parts: readonly unknown[]
      readonly usage: TokenUsage
      readonly stop: StopReason
    }
  | { readonly type: 'failed'; readonly failure: ModelFailure }
  | { readonly type: 'aborted' }

export type ModelListing =
  | { readonly type: 'models'; readonly models: readonly string[] }
  | { readonly type: 'failed'; readonly failure: ModelFailure }
  | { readonly type: 'aborted' }

export const zeroUsage: TokenUsage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 }

export function isTerminal(event: ModelEvent): event is TerminalEvent {
  return event.type === 'completed' || event.type === 'failed' || event.type === 'aborted'
}
