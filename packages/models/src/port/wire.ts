import type { ModelClient } from './model-client.ts'

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

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
  /** Model of a conversation that names none. */
  readonly defaultModel?: string
  /** Tokens that its models read, where no configuration sets them. */
  readonly contextWindow?: number
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

export interface ClientPorts {
  /** Variables for keys, configured headers and proxies; a stored key is merged in by the caller. */
  readonly env: Environment
  readonly now?: () => number
  readonly limits?: Partial<ExchangeLimits>
  /** True when a recording streams its text at reading speed. */
  readonly paced?: boolean
  /** Waits while a recording streams. Must settle, either way, when the signal aborts. */
  readonly sleep?: (delayMs: number, signal: AbortSignal) => Promise<void>
}

/** Way to reach models. A folder of `wires/` implements it; a line of `registry.ts` makes it available. */
export interface Wire {
  /** Returns the providers that need no configuration, in the order in which they are listed. */
  builtinProviders(env: Environment): readonly Provider[]
  createClient(provider: Provider, ports: ClientPorts): ModelClient
}
