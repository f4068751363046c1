import type { ClientPorts } from './client-ports.ts'
import type { ListedModel, ModelClient, ModelEvent, ModelFailure, ModelRequest } from './model-client.ts'
import type { Provider } from './provider.ts'
import type { ToolRules } from './tool-rules.ts'

/** Way to reach models. A folder of `wires/` implements it; a line of `registry.ts` makes it available. */
export interface Wire {
  createClient(provider: Provider, ports: ClientPorts): ModelClient
}

/** Wire over HTTP: all differences between the API of one model server and another. */
export interface HttpWire {
  /** Name and version of the translation, as logs keep it. */
  readonly version: string
  readonly toolRules: ToolRules
  /** Returns the headers of every request; `key` is undefined for a provider without one. */
  headers(key: string | undefined): Readonly<Record<string, string>>
  /** Returns the path of a request below the base URL; starts with a slash, may end in parameters. */
  requestPath(model: string): string
  /** Path of the list of models below the base URL, in the same form. */
  readonly modelsPath: string
  /** Returns the models of a list with the list's facts; undefined for a body that is not a list. */
  readModels(body: string): readonly ListedModel[] | undefined
  /** Reads the body of a response with the status of an error. */
  readError(body: string): ProviderError
  /** Creates the writer of a client; `adapter` is the client's adapter. */
  createWriter(adapter: string): WriteRequest
  createReader(request: ModelRequest, explain: ExplainFault): WireReader
}

/** Returns the name that `wire_api` has for a wire, which its version begins with. */
export function wireNameOf({ version }: Pick<HttpWire, 'version'>): string {
  return version.split('/')[0] ?? version
}

/** Body of a request in UTF-8, in pieces to send in order. They never change: further requests share them. */
export type RequestBody = readonly Uint8Array[]

/** Writes the body of a request. Equal entries give equal bytes; a longer conversation begins with the same bytes. */
export type WriteRequest = (request: ModelRequest) => RequestBody

/** Reader of one response. Both methods append to `out`; nothing follows a terminal event. */
export interface WireReader {
  /** Reads the data of one server-sent event, or a whole JSON body. */
  read(data: string, out: ModelEvent[]): void
  /** Ends the stream: `completed` if everything needed has arrived, else `failed`. */
  end(out: ModelEvent[]): void
}

/** Fault that a wire finds in a stream. */
export type WireFault =
  | { readonly type: 'refused'; readonly error: ProviderError }
  | { readonly type: 'malformed'; readonly what: string }
  | { readonly type: 'cut' }

export type ExplainFault = (fault: WireFault) => ModelFailure

/** Error as a provider describes it. `code` and `kind` are in the words of OpenAI; other wires translate theirs. */
export interface ProviderError {
  readonly message: string
  readonly code: string
  readonly kind: string
  readonly status?: number
}
