import type { ModelEvent, ModelFailure, ModelRequest } from '../port/model-client.ts'
import type { ProviderError } from './openai-api.ts'

/** What can be wrong with a stream that arrived; the words for it are found outside the wire. */
export type WireFault =
  | { readonly type: 'refused'; readonly error: ProviderError }
  | { readonly type: 'malformed'; readonly what: string }
  | { readonly type: 'cut' }

export type ExplainFault = (fault: WireFault) => ModelFailure

/**
 * One response being read. Both methods append to `out`; once a terminal event was appended nothing more follows.
 * `end` is for the end of the stream: completed if everything needed has come, else failed.
 */
export interface WireReader {
  read(data: string, out: ModelEvent[]): void
  end(out: ModelEvent[]): void
}

/** Deterministic: equal entries give equal bytes, and a longer conversation begins with the bytes of the shorter one. */
export type WriteRequest = (request: ModelRequest) => string

export interface Wire {
  /** Name and version of the translation, as the log keeps it. */
  readonly version: string
  readonly path: string
  createWriter(adapter: string): WriteRequest
  createReader(request: ModelRequest, explain: ExplainFault): WireReader
}
