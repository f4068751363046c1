import type { Host, Sandbox } from '@parley/host'
import type { ListedModel, ModelClient, ModelEvent, ModelFailure, ModelRequest } from './model-client.ts'
import type { ToolRules } from './tool-rules.ts'

/** Variables by name. */
export type Env = Readonly<Record<string, string | undefined>>

/** Way of requests to the network; what is left out comes from the variables of the environment and from Node. */
export interface NetworkSettings {
  /** Address of the proxy, before those of the variables. */
  readonly proxy?: string
  /** Hosts that are reached without it: names, `.suffix`, `*`, each with an optional port. */
  readonly noProxy?: readonly string[]
  /** Absolute path of further authorities in PEM form. */
  readonly caFile?: string
  /** True when the authorities of the system are trusted, too. */
  readonly systemCa?: boolean
}

/** Provider of models, built in or configured. */
export interface Provider {
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** Address that all paths are below; empty for a provider that plays a recording. */
  readonly baseUrl: string
  /** Variable that holds the key; absent for servers that need none. */
  readonly envKey?: string
  /** Variable that is read when `envKey` is not set. */
  readonly otherEnvKey?: string
  /** Configured headers, which replace those of the wire. */
  readonly headers: Readonly<Record<string, string>>
  /** Names of the variables that hold the values of headers, by header; that of an unset variable is left out. */
  readonly envHeaders?: Readonly<Record<string, string>>
  readonly queryParams: Readonly<Record<string, string>>
  readonly requestMaxRetries: number
  readonly streamMaxRetries: number
  readonly streamIdleTimeoutMs: number
  /** Limit of the time until a connection stands. */
  readonly connectTimeoutMs?: number
  /** Limit of the time for one whole response. */
  readonly requestTimeoutMs?: number
  readonly network?: NetworkSettings
  /** Model of a conversation that names none. */
  readonly defaultModel?: string
  /** AI SDK package that speaks with the provider. */
  readonly package?: string
  /** Export of the package that makes the provider; found by its name when left out. */
  readonly factory?: string
  /** Path of the recording that is played in place of a model. */
  readonly recording?: string
}

export const providerDefaults = {
  headers: {},
  queryParams: {},
  requestMaxRetries: 4,
  streamMaxRetries: 5,
  streamIdleTimeoutMs: 300_000,
} as const

/** Limits of one exchange with a provider. */
export interface ExchangeLimits {
  readonly connectTimeoutMs: number
  readonly listTimeoutMs: number
  readonly maxEventChars: number
  readonly maxResponseBytes: number
  readonly maxResponseMs: number
}

export const defaultLimits: ExchangeLimits = {
  connectTimeoutMs: 10_000,
  listTimeoutMs: 15_000,
  maxEventChars: 32 * 1024 * 1024,
  maxResponseBytes: 128 * 1024 * 1024,
  maxResponseMs: 60 * 60_000,
}

/** Place and processes of provider packages. */
export interface PluginPorts {
  readonly host: Pick<Host, 'spawnStreams'>
  /** Path of the program that runs a package. */
  readonly program: string
  /** Returns the folder of an installed package; null for what is not the name of a package. */
  folderOf(packageName: string): string | null
  /**
   * Prepares the sandbox of a process that sees these files and folders, wherever they lie. Resolves with null on a machine that enforces no
   * limits; rejects with a sentence when they cannot be set up, and nothing is started then.
   */
  readonly sandbox?: (shown: readonly string[]) => Promise<Sandbox | null>
}

export interface ClientPorts {
  /** Variables for keys, configured headers and proxies. */
  readonly env: Env
  /** Returns the key that the user logged in with, for a provider whose variables have none. Read for each request. */
  readonly keptKey?: () => string | undefined
  readonly now?: () => number
  readonly limits?: Partial<ExchangeLimits>
  /** Left out where no package can be run. */
  readonly plugins?: PluginPorts
  /** True when a recording streams its text at reading speed. */
  readonly paced?: boolean
  /** Waits while a recording streams. Must settle, either way, when the signal aborts. */
  readonly sleep?: (delayMs: number, signal: AbortSignal) => Promise<void>
}

/** Way to reach models. A folder of `wires/` implements it; a line of `registry.ts` makes it available. */
export interface Wire {
  createClient(provider: Provider, ports: ClientPorts): ModelClient
}

/** Wire over HTTP: everything in which one API of a model server differs from another. */
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
  /** Returns the models in a list, with what it says of them; undefined for a body that is not one. */
  readModels(body: string): readonly ListedModel[] | undefined
  /** Reads the body of a response whose status is an error. */
  readError(body: string): ProviderError
  /** Creates the writer of a client; `adapter` is the client's adapter. */
  createWriter(adapter: string): WriteRequest
  createReader(request: ModelRequest, explain: ExplainFault): WireReader
}

/** Returns the name that `wire_api` has for a wire, which its version begins with. */
export function wireNameOf({ version }: Pick<HttpWire, 'version'>): string {
  return version.split('/')[0] ?? version
}

/** Body of a request in UTF-8. Its pieces are sent one after the other, and never change: further requests share them. */
export type RequestBody = readonly Uint8Array[]

/** Returns the body of a request. Equal entries give equal bytes; a longer conversation begins with those of a shorter. */
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
