import type { ToolRules } from './tool-rules.ts'

/** Port to the models of a provider. */
export interface ModelClient {
  /** Name of wire, version and provider. Only an entry with the same adapter is sent back unchanged. */
  readonly adapter: string
  /** Rules of the API for schemas of tools; left out where they are not known. */
  readonly toolRules?: ToolRules
  /** Streams one response. Never throws for network, provider or abort: the last event is the only terminal one. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>
  /** Loads the code that a request needs. Sends nothing and never throws. */
  readonly warmUp?: () => void
  /** Lists the models that the provider offers. Never throws. */
  listModels(signal: AbortSignal): Promise<ModelListing>
}

/** JSON Schema of an object, as tools declare their input. */
export interface JsonSchemaObject {
  readonly type: 'object'
  readonly [keyword: string]: unknown
}

/** Form of a tool with a text as input, for the wires that have such tools. */
export interface FreeformInput {
  /** Field of the arguments that the text stands for. */
  readonly field: string
  readonly description: string
  /** Grammar of the text, in the syntax of Lark. */
  readonly grammar: string
}

export interface ToolSpec {
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchemaObject
  /** Present for a model that takes the tool in this form; wires without such tools leave it out. */
  readonly freeform?: FreeformInput
}

interface TextPart {
  readonly type: 'text'
  readonly text: string
}

export interface ImagePart {
  readonly type: 'image'
  readonly mediaType: string
  readonly base64: string
}

export type UserPart = TextPart | ImagePart

export interface ModelCall {
  readonly callId: string
  readonly name: string
  /** Arguments as the model wrote them: usually JSON, but not always. */
  readonly arguments: string
}

interface UserEntry {
  readonly kind: 'user'
  readonly content: readonly UserPart[]
}

/** Response of a model. `parts` goes back unchanged to the adapter that made it; others use `text` and `calls`. */
export interface ResponseEntry {
  readonly kind: 'response'
  readonly adapter: string
  readonly parts: readonly unknown[]
  readonly text: string
  readonly calls: readonly ModelCall[]
}

export interface ResultEntry {
  readonly kind: 'result'
  readonly callId: string
  readonly text: string
  /** Images that belong to the text; only for models that read them. */
  readonly images?: readonly ImagePart[]
  readonly isError: boolean
}

/** Entry of the conversation as the model reads it. Immutable: its serialised form is cached by identity. */
export type ModelEntry = UserEntry | ResponseEntry | ResultEntry

export interface ModelRequest {
  readonly model: string
  readonly effort?: string
  /** Tokens that the answer may have; left out where the provider's own limit holds. */
  readonly maxOutputTokens?: number
  readonly instructions: string
  readonly tools: readonly ToolSpec[]
  readonly entries: readonly ModelEntry[]
  /** JSON Schema that the final message must satisfy. */
  readonly outputSchema?: Readonly<Record<string, unknown>>
  /** Stable for a conversation: the provider can route to the machine that has the prefix in its cache. */
  readonly cacheKey: string
}

export interface TokenUsage {
  readonly inputTokens: number
  readonly cachedInputTokens: number
  /** Input written to the provider's cache, part of `inputTokens`; left out where the provider does not say it. */
  readonly cacheWriteTokens?: number
  readonly outputTokens: number
  readonly reasoningTokens: number
}

export type FailureCode =
  | 'auth'
  | 'badBaseUrl'
  | 'connectionReset'
  | 'connectTimeout'
  | 'contextTooLong'
  | 'fileFailed'
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
  | 'tooManyTools'
  | 'toolsUnsupported'
  | 'unexpectedReply'
  | 'unknownModel'
  | 'unreachable'

/** Wait before a retry: `short` is seconds, `long` minutes for a busy provider, `never` needs a change first. */
export type RetryClass = 'short' | 'long' | 'never'

export interface ModelFailure {
  readonly code: FailureCode
  /** Text for people: what happened, why, and what to do. Never contains the key. */
  readonly message: string
  /** `message` without the words of the provider; without the remedy where nothing could be reached. */
  readonly fault?: string
  readonly retry: RetryClass
  /** Wait that the provider asks for; a retry must not come sooner. */
  readonly retryAfterMs?: number
  readonly status?: number
  /** Set where the provider refuses the content of a request: the entries that it names, or an empty list. */
  readonly refused?: readonly number[]
  /** Set where no connection came about, so that nothing was sent: the network may be back later. */
  readonly network?: true
}

/**
 * Reason why an answer ended: `length` is the limit of output, `context` a full window, `filter` the provider's. After
 * `paused` the provider goes on when it gets the answer so far.
 */
export type StopReason = 'stop' | 'length' | 'context' | 'filter' | 'paused'

/**
 * Event of a response. `part` names the text, reasoning or call, uniquely within the response. `raw` marks reasoning as
 * the model wrote it, not a summary. A part's end tells its kind, which may differ from its deltas.
 */
export type ModelEvent =
  | { readonly type: 'textDelta'; readonly part: string; readonly text: string }
  | { readonly type: 'textDone'; readonly part: string; readonly text: string }
  | { readonly type: 'reasoningDelta'; readonly part: string; readonly text: string; readonly raw?: true }
  | { readonly type: 'reasoningDone'; readonly part: string; readonly text: string; readonly raw?: true }
  /** Bytes that the model made as part of its answer, nearly always a picture. */
  | { readonly type: 'picture'; readonly part: string; readonly mediaType: string; readonly base64: string }
  /** Text about a picture that cannot be kept; the model did not write it. */
  | { readonly type: 'pictureText'; readonly part: string; readonly text: string }
  | { readonly type: 'callDelta'; readonly part: string; readonly name?: string; readonly argumentBytes: number }
  | ({ readonly type: 'call'; readonly part: string } & ModelCall)
  | TerminalEvent

type TerminalEvent =
  | {
      readonly type: 'completed'
      readonly parts: readonly unknown[]
      readonly usage: TokenUsage
      readonly stop: StopReason
      /** Words of the provider on why it stopped the answer. */
      readonly why?: string
    }
  | { readonly type: 'failed'; readonly failure: ModelFailure }
  | { readonly type: 'aborted' }

/** US dollars per million tokens. */
export interface Prices {
  readonly input: number
  /** Input read from the provider's cache; the price of `input` when left out. */
  readonly cachedInput?: number
  /** Input written to the provider's cache; the price of `input` when left out. */
  readonly cacheWrite?: number
  readonly output: number
}

/** Facts of a model from the provider's list; a fact that the list lacks is left out. */
export interface ListedFacts {
  /** Tokens that a request may have. */
  readonly contextWindow?: number
  /** Tokens that an answer may have. */
  readonly outputLimit?: number
  readonly price?: Prices
}

export interface ListedModel extends ListedFacts {
  readonly id: string
}

export type ModelListing =
  | {
      readonly type: 'models'
      readonly models: readonly string[]
      /** Facts of the models by name; left out where the list has no facts. */
      readonly facts?: Readonly<Record<string, ListedFacts>>
    }
  /** The provider has no list. */
  | { readonly type: 'unlisted' }
  | { readonly type: 'failed'; readonly failure: ModelFailure }
  | { readonly type: 'aborted' }

export const zeroUsage: TokenUsage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 }

export function isTerminal(event: ModelEvent): event is TerminalEvent {
  return event.type === 'completed' || event.type === 'failed' || event.type === 'aborted'
}
