import type { ModelCall, ModelRequest } from './model-request.ts'

export type {
  ImagePart,
  JsonSchemaObject,
  ModelCall,
  ModelEntry,
  ModelRequest,
  ResponseEntry,
  ResultEntry,
  TextPart,
  ToolSpec,
  UserEntry,
  UserPart,
} from './model-request.ts'

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

/** `short`: seconds. `long`: up to minutes, the provider is busy or said so. `never`: something must change first. */
export type RetryClass = 'short' | 'long' | 'never'

export interface ModelFailure {
  readonly code: FailureCode
  /** What, why and what next, for people. Never holds the key. */
  readonly message: string
  readonly retry: RetryClass
  /** The provider's own hint; never go sooner. */
  readonly retryAfterMs?: number
  readonly status?: number
}

export type StopReason = 'stop' | 'length' | 'filter'

/** `part` names the piece of one response that an event belongs to; it is unique within that response only. */
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

/** The one port to models. */
export interface ModelClient {
  /** Wire, version and provider. Only an entry with the same adapter is sent back verbatim. */
  readonly adapter: string
  /** Never throws for network, provider or abort: exactly one terminal event, and it is the last. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>
  listModels(signal: AbortSignal): Promise<ModelListing>
}

export const ZERO_USAGE: TokenUsage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 }

export function isTerminal(event: ModelEvent): event is TerminalEvent {
  return event.type === 'completed' || event.type === 'failed' || event.type === 'aborted'
}
