import type { ProviderError } from '../failures/classify-refusal.ts'
import type { ExplainFault } from '../failures/explain.ts'
import type { ModelEvent } from '../port/model-client.ts'
import type { ModelRequest } from '../port/model-request.ts'
import type { Environment, Provider } from '../port/wire.ts'

/** Wire over HTTP: everything in which one API of a model server differs from another. */
export interface HttpWire {
  /** Name and version of the translation, as logs keep it. */
  readonly version: string
  builtinProviders(env: Environment): readonly Provider[]
  /** Returns the headers of every request; `key` is undefined for a provider without one. */
  headers(key: string | undefined): Readonly<Record<string, string>>
  /** Returns the path of a request below the base URL; starts with a slash, may end in parameters. */
  requestPath(model: string): string
  /** Path of the list of models below the base URL, in the same form. */
  readonly modelsPath: string
  /** Returns the models in a list; undefined for a body that is not one. */
  readModelIds(body: string): readonly string[] | undefined
  /** Reads the body of a response whose status is an error. */
  readError(body: string): ProviderError
  /** Creates the writer of a client; `adapter` is the client's adapter. */
  createWriter(adapter: string): WriteRequest
  createReader(request: ModelRequest, explain: ExplainFault): WireReader
}

/** Returns the body of a request. Equal entries give equal bytes; a longer conversation begins with those of a shorter. */
export type WriteRequest = (request: ModelRequest) => string

/** Reader of one response. Both methods append to `out`; nothing follows a terminal event. */
export interface WireReader {
  /** Reads the data of one server-sent event, or a whole JSON body. */
  read(data: string, out: ModelEvent[]): void
  /** Ends the stream: `completed` if everything needed has arrived, else `failed`. */
  end(out: ModelEvent[]): void
}
